fun name(n: Int) = when (n) {
    1 -> "one"
    2 "two"
    else -> "many"
}
