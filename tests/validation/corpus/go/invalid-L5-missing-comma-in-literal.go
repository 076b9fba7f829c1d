package main

var colours = []string{
	"red",
	"green"
}

func main() {}
