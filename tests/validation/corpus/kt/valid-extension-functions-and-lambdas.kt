inline fun <reified T : Any> List<*>.only(): List<T> = filterIsInstance<T>()

val String.words: List<String>
    get() = split(Regex("\\s+")).filter { it.isNotBlank() }

infix fun Int.pow(n: Int): Int = (1..n).fold(1) { acc, _ -> acc * this }

fun main() {
    val sum = listOf(1, 2, 3).map { x -> x pow 2 }.sumOf { it }
    val f: (Int, Int) -> Int = { a, b -> a + b }
    val g = fun(x: Int): Int { return x * 2 }
    listOf("a b").flatMap(String::words).forEachIndexed { i, w -> println("$i $w $sum ${f(1, g(2))}") }
}
