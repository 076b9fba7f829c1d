abstract class Base(protected open val id: Int) {
    abstract fun run(): Unit
    open fun name() = "base"
}

class Derived private constructor(override val id: Int, vararg val tags: String) : Base(id), Comparable<Derived> {
    init { require(id > 0) { "id must be positive" } }
    constructor(text: String) : this(text.toInt())

    var count: Int = 0
        private set(value) { field = value }
    val lazyValue by lazy { id * 2 }
    lateinit var owner: String

    override fun run() {}
    override operator fun compareTo(other: Derived): Int = id - other.id

    companion object Factory {
        const val MAX = 10
        @JvmStatic fun of(vararg tags: String) = Derived(1, *tags)
    }
    inner class Inner { fun outer() = this@Derived }
}
