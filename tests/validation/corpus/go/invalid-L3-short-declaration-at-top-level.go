package main

count := 3

func main() {
	println(count)
}
