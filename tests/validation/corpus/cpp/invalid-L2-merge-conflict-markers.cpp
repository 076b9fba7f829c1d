struct Version {
<<<<<<< HEAD
    int minor = 1;
=======
    int minor = 2;
>>>>>>> main
};
