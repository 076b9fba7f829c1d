#pragma once
struct V {
<<<<<<< HEAD
    int a;
=======
    int b;
>>>>>>> main
};
