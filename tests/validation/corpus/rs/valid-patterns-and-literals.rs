use std::rc::Rc;

#[derive(Debug)]
enum Expr<'src> {
    Num(f64),
    Var(&'src str),
    Bin { op: char, lhs: Box<Expr<'src>>, rhs: Box<Expr<'src>> },
    Call(Rc<str>, Vec<Self>),
    Unit = 7,
}

union Bits { f: f32, u: u32 }

impl<'src> Expr<'src> {
    fn eval(&self, env: &dyn Fn(&str) -> Option<f64>) -> Result<f64, String> {
        use Expr::*;
        Ok(match self {
            Num(n @ (0.0..=1.0 | 5.0..)) => *n,
            Num(n) if n.is_nan() => return Err(format!("{self:?} is NaN")),
            &Num(n) => n,
            Var(name) => env(name).ok_or_else(|| format!("unbound {name}"))?,
            Bin { op: '+', lhs, rhs } => lhs.eval(env)? + rhs.eval(env)?,
            Bin { op: op @ ('-' | '*'), lhs, .. } => {
                let l = lhs.eval(env)?;
                if *op == '-' { -l } else { l * 2. }
            }
            Bin { .. } | Call(..) => 0_f64,
            Unit => unreachable!(),
        })
    }
}

pub fn collatz(mut n: u64) -> impl Iterator<Item = u64> + use<> {
    std::iter::from_fn(move || {
        if n == 1 { return None }
        n = if n % 2 == 0 { n / 2 } else { 3 * n + 1 };
        Some(n)
    })
}

extern "C" fn callback(_: *const u8, ...) -> ! { loop { break unsafe { std::process::exit(1) } } }
unsafe extern "C" { pub safe fn abs(x: i32) -> i32; unsafe fn raw(p: *mut ()); static mut G: u8; }

fn main() {
    let x = 'outer: loop { 'inner: for i in (0..).step_by(3) { if i > 9 { break 'outer i as u8 as char; } continue 'inner } };
    let v = Vec::<Vec<u8>>::with_capacity(1 << 4);
    let f: fn(i32) -> i32 = |x| x + 1;
    let y = <Vec<u8> as IntoIterator>::into_iter(vec![]).map(|b| b.wrapping_shl(2) >> 1).sum::<u8>();
    let t = (1,); let u = t.0; let z = [[0; 3]; 2][1][2]; let r = ..=5; let s = &v[..];
    let b = { let a = &raw const u; unsafe { *a } };
    let label = 'blk: { if u == 1 { break 'blk 2 } 3 };
    while let Some(x) = None::<u8> {}
    let c = const { 1 + 1 }; let n = !0 & -1i32 ^ 0xFFi32; let big = 1_000e3;
    if let Ok(x) | Err(x) = Ok::<i32, i32>(1) && x > 0 {}
    drop(move || -> i32 { 1 });
}
