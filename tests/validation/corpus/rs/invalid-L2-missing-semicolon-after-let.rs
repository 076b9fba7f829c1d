fn main() {
    let count = 3
    println!("{count}");
}
