package dsl

import java.io.File

@DslMarker annotation class HtmlDsl

@HtmlDsl
open class Tag(val name: String) {
    protected val children = mutableListOf<Tag>()
    private val attributes: MutableMap<String, String> = hashMapOf()
    operator fun String.unaryPlus() { children += Text(this) }
    infix fun String.to(v: Any?) = apply { attributes[this] = v.toString() }
    fun <T : Tag> init(tag: T, block: T.() -> Unit): T = tag.apply(block).also { children.add(it) }
    override fun toString() = buildString {
        append('<').append(name)
        attributes.entries.joinTo(this, " ") { (k, v) -> """$k="${v.replace("\"", "&quot;")}"""" }
        append(">\n")
    }
}

class Text(s: String) extends Tag(s)
typealias Block = suspend Tag.(Int, String?) -> Map<String, List<Tag>>?

enum class Level(val n: Int) : Comparator<Level> {
    LOW(1) { override fun compare(a: Level, b: Level) = a.n - b.n },
    HIGH(2) {
        override fun compare(a: Level, b: Level): Int { return b.n.compareTo(a.n) }
    };

    abstract override fun compare(a: Level, b: Level): Int
}

tailrec fun gcd(a: Int, b: Int): Int = if (b == 0) a else gcd(b, a % b)

fun main(args: Array<String>) {
    val text = """
        |Dear ${args.getOrNull(0) ?: "nobody"},
        |  price: ${'$'}${"%.2f".format(1.5)} and $$ and "quotes"
    """.trimMargin()
    val x: Any? = null
    val len = (x as? String)?.length ?: -1
    val y = x!!.toString()
    loop@ for (i in 10 downTo 1 step 2) {
        when {
            i !in 3..<5 -> continue@loop
            x is String && x.isNotEmpty() -> break@loop
            else -> Unit
        }
    }
    do { val z = 1 } while (z < 1)
    val res = try { File("x").readText() } catch (e: Exception) { "" } finally { println("done") }
    val f = fun(a: Int, vararg b: Int): Int { return a + b.sum() }
    val g: (Int) -> Int = { it * 2 }
    f(1, *intArrayOf(1, 2), 3).let(::println)
    val (a, _, c) = Triple(1, 2, 3)
    val o = object : Runnable, Comparable<Int> { override fun run() {} ; override fun compareTo(other: Int) = 0 }
    val hex = 0xFF_FFu shl 3 and 0b11UL.toInt() or 1e3f.toInt()
    if (a == 1) println("one") else if (c > 2) { println("c") } else println()
    run { return@run }
    html { body { +"text"; div(id = "x") { } } }
    listOf(1, 2).map { x -> x + 1 }.filter { it > 1 }
        .sorted()
        ?.let { println(it) }
    val arr = arrayOf<Array<Int?>>(); arr[0][1]++ ; arr[0][1] += 2
    assert(a === c || a !== c) { "msg" }
}
