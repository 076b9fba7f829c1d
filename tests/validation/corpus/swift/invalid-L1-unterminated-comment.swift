/* the main function
func main() {
    print("a")
}
