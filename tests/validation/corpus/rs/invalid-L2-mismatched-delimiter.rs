fn main() {
    let total = (1 + 2];
    println!("{total}");
}
