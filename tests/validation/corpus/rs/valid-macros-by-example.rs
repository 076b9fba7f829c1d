#[macro_export]
macro_rules! map {
    () => { ::std::collections::HashMap::new() };
    ($($k:expr => $v:expr),+ $(,)?) => {{
        let mut m = ::std::collections::HashMap::new();
        $( m.insert($k, $v); )+
        m
    }};
}

fn main() {
    let m = map! { "a" => vec![1, 2, 3], "b" => Vec::from([4; 2]), };
    assert_eq!(m["a"].iter().sum::<i32>(), 6, "sum of {:?}", m);
}
