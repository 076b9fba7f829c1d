fn main() {
    let x = if true { 1 } else { 2 } + 3;
    let y = loop { break 'a'; };
    let z = { let t = x * 2; t } as f64;
    let v: Vec<i32> = (0..10).step_by(2).chain(20..=30).collect();
    let [a, .., b] = [1, 2, 3, 4];
    let t = ((1, 2.0), "s", ());
    let value = t.0.1;
    let f = |x: &i32| -> bool { *x > 1 };
    let s = &v[1..]; let r = &mut *Box::new(5); *r += 1;
    let label = 'block: { if z > 1.0 { break 'block 1; } 2 };
    let _ = (x, y, z, a, b, value, v.iter().filter(|i| f(i)).count() < 3, s, label, (-1i32 as u8) << 2);
    return;
}
