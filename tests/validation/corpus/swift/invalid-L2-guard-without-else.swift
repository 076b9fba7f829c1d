func f(_ x: Int?) -> Int {
    guard let x = x { return 0 }
    return x
}
