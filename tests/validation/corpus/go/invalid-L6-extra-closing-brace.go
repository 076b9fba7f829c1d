package main

func main() {
	println("a")
}
}

func other() {}
