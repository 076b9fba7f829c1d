fn main() {
    let name = "Ada;
    println!(name);
}
