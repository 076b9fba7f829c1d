package main

func sign(n int) int {
	if n > 0 {
		return 1
	}
	else {
		return -1
	}
}
