package main

const query = `SELECT *
FROM users

func main() {
	println(query)
}
