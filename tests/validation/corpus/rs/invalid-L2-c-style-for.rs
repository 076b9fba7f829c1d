fn main() {
    for (let i = 0; i < 3; i += 1) {
        println!("{i}");
    }
}
