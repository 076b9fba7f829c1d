func show(count: Int) {
    print("Count: \(count))
    print("Bye")
}
