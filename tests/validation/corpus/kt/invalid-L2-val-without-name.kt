fun main() {
    val = 3
    println("a")
}
