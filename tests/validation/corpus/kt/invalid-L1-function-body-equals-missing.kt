fun half(x: Double): Double x / 2

fun main() {}
