class Node(val value: Int?, var next: Node? = null)

fun length(node: Node?): Int {
    var n = node ?: return 0
    var count = 1
    while (true) {
        n = n.next ?: break
        count++
    }
    val last = n.value?.takeIf { it > 0 }?.toString() ?: "none"
    println(last!!.length)
    return if (count > 10) 10 else count
}
