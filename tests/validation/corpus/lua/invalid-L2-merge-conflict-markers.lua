local a = 1
<<<<<<< HEAD
local b = 1
=======
local b = 2
>>>>>>> main
