package main

/* main starts the program
func main() {
	println("a")
}
