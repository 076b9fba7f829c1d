fun main() {
    val f = listOf(1).map { it * 2
    println(f
}
