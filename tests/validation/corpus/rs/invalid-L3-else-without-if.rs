fn sign(n: i32) -> i32 {
    let x = n;
    else { return -1; }
    x
}
