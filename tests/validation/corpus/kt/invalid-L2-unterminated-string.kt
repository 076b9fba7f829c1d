fun main() {
    val name = "Ada
    println(name)
}
