suspend fun load(id: Int): Result<String> = runCatching { fetch(id) }

private suspend fun fetch(id: Int): String {
    if (id < 0) throw IllegalArgumentException("bad id: $id")
    return "item-$id"
}

suspend fun all(ids: List<Int>) = buildList<String> {
    for ((index, id) in ids.withIndex()) {
        if (index > 3) break
        load(id).onSuccess { add(it) }.onFailure { e -> println(e.message) }
    }
}
