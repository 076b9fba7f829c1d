fun main() {
    println("value ${1 + 2")
}
