fn main() {
    let = 5;
    let x = 1;
    println!("{x}");
}
