fun greet(name: String) {
    if (name.isEmpty()) {
        println("nobody")

    println(name)
}
