func run() {
    let func = 3
    print("a")
}
