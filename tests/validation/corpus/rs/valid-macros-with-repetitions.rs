macro_rules! hashmap {
    () => { ::std::collections::HashMap::new() };
    ($($k:expr => $v:expr),+ $(,)?) => {{
        let mut m = hashmap!();
        $( m.insert($k, $v); )+
        m
    }};
    (@internal $name:ident : $ty:ty $(where $($w:tt)*)?) => {
        struct $name { inner: $ty }
        impl $name { fn get(&self) -> &$ty { &self.inner } }
    };
}

#[macro_export]
macro_rules! bitflags_like {
    ($(#[$meta:meta])* $vis:vis enum $n:ident: $t:ty { $($variant:ident = $val:literal),* $(,)? }) => {
        $(#[$meta])* #[repr($t)] $vis enum $n { $($variant = $val),* }
        impl TryFrom<$t> for $n {
            type Error = $t;
            fn try_from(v: $t) -> Result<Self, $t> {
                match v { $(x if x == $n::$variant as $t => Ok($n::$variant),)* _ => Err(v) }
            }
        }
    };
}

bitflags_like! {
    /// Colours.
    #[derive(Debug)]
    pub enum Colour: u8 { Red = 1, Green = 2, }
}

thread_local! { static COUNT: std::cell::Cell<u32> = const { std::cell::Cell::new(0) }; }

fn strings() -> [&'static str; 4] {
    let raw = r##"He said "#hi"# "##;
    let bytes = b"\x00\xff"; let br = br#"raw "bytes""#; let c = c"nul";
    let ch = ['a', '\'', '\u{1F600}', '\\', b'x' as char];
    let multi = "line one \
                 line two
line three";
    let _ = concat!("a", 'b', 1, 2.0, true);
    let v = vec![0u8; 16]; let w = vec![1, 2, 3,];
    assert_eq!(v.len(), 16, "len was {}", v.len());
    let t = matches!(w.as_slice(), [1, .., 3] if t > 0);
    [raw, multi, "", stringify!(a + b)]
}
