fun pick(a: Int, b: Int): Int {
    val m = a > b ? a : b
    return m
}
