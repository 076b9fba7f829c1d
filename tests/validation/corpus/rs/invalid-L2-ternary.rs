fn pick(a: i32, b: i32) -> i32 {
    let m = a > b ? a : b;
    m
}
