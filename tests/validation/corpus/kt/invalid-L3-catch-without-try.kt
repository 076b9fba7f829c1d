fun main() {
    println("a")
    catch (e: Exception) {
        println(e)
    }
}
