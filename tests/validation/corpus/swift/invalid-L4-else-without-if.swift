func sign(_ n: Int) -> Int {
    if n > 0 { return 1 }
    print(n)
    else { return -1 }
}
