interface Source<out T> { fun next(): T? }
interface Sink<in T> { fun put(item: T) }

class Box<T>(var item: T) where T : Comparable<T>, T : CharSequence

typealias Handler<T> = (T, Map<String, List<*>>) -> Unit

fun <T, R : Any> Source<T>.mapAll(transform: (T) -> R?): List<R> {
    val out = mutableListOf<R>()
    while (true) out += transform(next() ?: return out) ?: continue
}
@JvmInline value class Id(val raw: Long)
fun interface Check<T> { fun test(t: T): Boolean }
