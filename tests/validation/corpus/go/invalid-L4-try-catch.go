package main

func main() {
	try {
		run()
	} catch (err) {
		println(err)
	}
}
