@file:JvmName("Shapes")
@file:OptIn(ExperimentalStdlibApi::class)

package com.example.shapes

import kotlin.math.PI as pi
import kotlinx.coroutines.*
import kotlinx.coroutines.flow.*

@JvmInline
value class Meters(val value: Double) {
    operator fun plus(other: Meters) = Meters(value + other.value)
    init { require(value >= 0) { "negative: $value" } }
}

sealed interface Shape {
    data class Circle(val r: Double) : Shape
    data class Rect(val w: Double, val h: Double = w) : Shape
    data object Empty : Shape
}

fun interface Visitor<in T, out R> { fun visit(t: T): R }

context(logger: Logger, _: Scope)
fun area(shape: Shape): Double = when (shape) {
    is Shape.Circle if shape.r > 10 -> pi * shape.r * shape.r
    is Shape.Circle -> 1.0
    is Shape.Rect if (shape.w == 0.0 || shape.h == 0.0) -> 0.0
    is Shape.Rect -> shape.w * shape.h
    Shape.Empty -> 0.0
    else if shape.hashCode() > 3 -> 1.0
    else -> error("no")
}

inline fun <reified T : Any> List<*>.firstOf(crossinline block: (T) -> Unit = {}): T? where T : Comparable<T> {
    for (e in this) if (e is T) return e.also { block(it) }
    return null
}

class Repo private constructor(private val dao: Dao, override val name: String) : Base(name), Closeable by dao {
    private val _state = MutableStateFlow<List<Shape>>(emptyList())
    val state: StateFlow<List<Shape>> get() = _state.asStateFlow()
    var counter: Int = 0
        private set(value) { field = value.coerceIn(0..100) }
    lateinit var late: String
    val lazyValue by lazy(LazyThreadSafetyMode.NONE) { compute() }

    constructor(dao: Dao) : this(dao, "default") { counter = 1 }

    suspend fun load(): Result<Unit> = runCatching {
        coroutineScope {
            val jobs = (1..3).map { i -> async(Dispatchers.IO) { dao.get(i) ?: return@async null } }
            jobs.awaitAll().filterNotNull().forEachIndexed { index, (w, h) -> println("$index: ${w * h}") }
        }
    }

    companion object Factory {
        const val TAG = "Repo"
        @JvmStatic operator fun invoke(dao: Dao) = Repo(dao)
    }
}
