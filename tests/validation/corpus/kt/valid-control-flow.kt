fun classify(x: Any, range: IntRange = 1..10): String {
    outer@ for (i in 10 downTo 1 step 3) {
        for (j in 0 until 3) {
            if (j == 2) continue@outer
            if (i * j > 8) break@outer
        }
    }
    val label = when {
        x is Int && x in range -> "in"
        x !is String -> "other"
        x.isEmpty() || x == "}" -> "empty"
        else -> try { x.toInt().toString() } catch (e: NumberFormatException) { "nan" } finally { println() }
    }
    do { val y = 1 } while (y < 0)
    return label
}
