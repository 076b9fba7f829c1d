#include <stdlib.h>

typedef int (*compare_fn)(const void *, const void *);
int (*operations[3])(int, int);
void (*signal_like(int sig, void (*handler)(int)))(int);

static int ascending(const void *a, const void *b)
{
    const int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

void sort(int *values, size_t n)
{
    compare_fn f = &ascending;
    qsort(values, n, sizeof *values, f);
}
