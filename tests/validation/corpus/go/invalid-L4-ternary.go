package main

func pick(a, b int) int {
	m := a > b ? a : b
	return m
}
