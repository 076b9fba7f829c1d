let a = 1
<<<<<<< HEAD
let b = 1
=======
let b = 2
>>>>>>> main
