fn name(n: u8) -> &'static str {
    match n {
        1 => "one",
        2 "two",
        _ => "many",
    }
}
