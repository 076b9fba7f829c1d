/* the main function
fun main() {
    println("a")
}
