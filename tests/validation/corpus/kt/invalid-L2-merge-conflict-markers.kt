val a = 1
<<<<<<< HEAD
val b = 1
=======
val b = 2
>>>>>>> main
