fun show(name: String) {
    println("Hello $name!)
    println("Bye")
}
