fn main() {
    println!("a");
}

#[derive(Debug)]
