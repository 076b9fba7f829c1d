package main

func main() {
	n := 3
	while n > 0 {
		n--
	}
}
