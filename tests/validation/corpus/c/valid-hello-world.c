#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Prints its arguments, one a line. */
int main(int argc, char *argv[])
{
    for (int i = 1; i < argc; ++i) {
        printf("%d: \"%s\" (%zu)\n", i, argv[i], strlen(argv[i]));
    }
    return argc > 1 ? EXIT_SUCCESS : EXIT_FAILURE;
}
