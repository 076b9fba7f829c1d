package main

func name(n int) string {
	switch n {
	case 1
		return "one"
	default:
		return "many"
	}
}
