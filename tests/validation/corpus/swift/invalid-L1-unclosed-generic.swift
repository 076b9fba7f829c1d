func names() -> Array<String {
    return []
}
