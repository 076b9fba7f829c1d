#define NAME "tool"
<<<<<<< HEAD
int version = 1;
=======
int version = 2;
>>>>>>> main
