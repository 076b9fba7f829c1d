fun render(name: String, items: List<Int>): String {
    val json = """{"name": "$name", "n": ${items.size}, "q": "\" { "}"""
    val text = """
        |Hello ${if (items.isEmpty()) "nobody" else "${items.first()} }"}
        |cost: ${'$'}5 and $name's
    """.trimMargin()
    return "tab\t\"quoted\" \u0041 ${json.length}" + text
}
