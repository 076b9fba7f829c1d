fn main() {
    let v = vec![1, 2, 3];
    println!("{}", v.iter().map(|x| x * 2).sum::<i32>();
}
