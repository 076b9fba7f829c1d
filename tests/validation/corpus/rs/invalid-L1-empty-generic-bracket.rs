fn collect() -> Vec<u8 {
    Vec::new()
}
