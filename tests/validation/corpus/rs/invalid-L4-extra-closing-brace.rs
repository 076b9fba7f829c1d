fn main() {
    println!("a");
}
}

fn other() {}
