fun main() {
    val items = listOf(1, 2, 3
    println(items)
}
