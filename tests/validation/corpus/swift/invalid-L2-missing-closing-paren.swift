func main() {
    print("hello"
}
main()
