fun main() {
    for (x : listOf(1, 2)) {
        println(x)
    }
}
