fun load(path: String): String {
    val file = java.io.File(path)
    return file.readText().lines(
