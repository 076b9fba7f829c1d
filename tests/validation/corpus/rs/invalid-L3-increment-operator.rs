fn main() {
    let mut n = 0;
    n++;
    println!("{n}");
}
