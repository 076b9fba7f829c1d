fn total(net: f64, tax: f64) -> f64 {
    let sum = net tax;
    sum
}
