func half(_ x: Double): Double {
    return x / 2
}
