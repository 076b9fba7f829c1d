#pragma once
<<<<<<< HEAD
int version(void);
=======
long version(void);
>>>>>>> main
