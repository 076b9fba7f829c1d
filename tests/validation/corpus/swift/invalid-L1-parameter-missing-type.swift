func add(a, b: Int) -> Int {
    return b
}
