VERSION = 1
<<<<<<< HEAD
NAME = "a"
=======
NAME = "b"
>>>>>>> main
