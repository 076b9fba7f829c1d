fn main() {
    for i in 0..3 {
        println!("{i}");

    let done = true;
    println!("{done}");
}
