enum class Op(val symbol: String) : (Int, Int) -> Int {
    PLUS("+") { override fun invoke(a: Int, b: Int) = a + b },
    TIMES("*") {
        override fun invoke(a: Int, b: Int) = a * b
    };

    companion object {
        fun of(s: String) = entries.firstOrNull { it.symbol == s }
    }
}

object Registry {
    private val ops = mutableMapOf<String, Op>()
    operator fun get(k: String) = ops[k]
    operator fun set(k: String, v: Op) { ops[k] = v }
}
val anonymous = object : Runnable { override fun run() = Unit }
