/* outer /* inner { */ still a comment ( */
fn größe(名前: &str) -> usize {
    // } "unbalanced
    let naïve = "日本語 🎉 }"; /* ) */
    naïve.len() + 名前.len()
}

fn main() {
    println!("{}", größe("x"));
}
