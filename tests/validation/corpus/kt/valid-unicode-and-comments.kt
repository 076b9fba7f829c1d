/* nested /* comment { */ still ( */
fun größe(名前: String): Int {
    // } "unbalanced
    val `with spaces` = "日本語 🎉 }"
    return 名前.length + `with spaces`.length
}
