fun main() {
    val x = arrayOf(1, 2]
    println(x)
}
