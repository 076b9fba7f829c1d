package main

import (
	"fmt"
	"iter"
)

func Count(n int) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for i := range n {
			if !yield(i, fmt.Sprintf("#%d", i)) {
				return
			}
		}
	}
}

func main() {
	for range 3 {
		fmt.Print(".")
	}
	for i, s := range Count(4) {
		fmt.Println(i, s)
	}
}
