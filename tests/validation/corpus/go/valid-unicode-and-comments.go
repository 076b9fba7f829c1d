package main

/* a comment with { and "quotes
   and // more ) */
import "fmt"

// } not a brace
func grüße(名前 string) string {
	return "Grüße, " + 名前 + " 🎉 }" // {
}

func main() { fmt.Println(grüße("世界")) }
