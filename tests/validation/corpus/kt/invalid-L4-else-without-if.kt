fun sign(n: Int): Int {
    if (n > 0) return 1
    println(n)
    else return -1
}
