fun main() {
    println(listOf(1 2, 3))
}
