package main

<<<<<<< HEAD
const version = "1.2"
=======
const version = "1.3"
>>>>>>> main
