func name(_ n: Int) -> String {
    switch n {
    case 1 return "one"
    default: return "many"
    }
}
