fun names(): List<String {
    return emptyList()
}
