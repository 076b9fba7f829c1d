package main

func first(xs []int) int {
	return xs[0
}
