package main

const a = 1

import "fmt"

func main() { fmt.Println(a) }
