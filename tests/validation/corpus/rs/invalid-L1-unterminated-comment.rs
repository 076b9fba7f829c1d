/* starts the program
fn main() {
    println!("a");
}
