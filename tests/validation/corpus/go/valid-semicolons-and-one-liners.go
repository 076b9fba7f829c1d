package main; import "fmt"

func main() { x := 1; if x > 0 { fmt.Println("yes") } else { fmt.Println("no") }; for ; x < 3; x++ {}; for { break } }

func empty() {}; type T = []int; var a, b = 1, "two"
