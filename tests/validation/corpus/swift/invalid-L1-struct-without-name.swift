struct {
    var x = 1
}
