package main

func main() {
	name := "Ada
	println(name)
}
