func greet(_ name: String) {
    if name.isEmpty {
        print("nobody")

    print(name)
}
