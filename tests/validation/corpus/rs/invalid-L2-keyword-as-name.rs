fn main() {
    let match = 3;
    println!("{}", 1);
}
