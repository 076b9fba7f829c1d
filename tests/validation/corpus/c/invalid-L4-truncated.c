#include <stdlib.h>

int *make(size_t n) {
    int *values = calloc(n,
