#include <stdint.h>

static inline uint32_t rotate(uint32_t x, int k) { return (x << k) | (x >> (32 - k)); }

void copy(char *dst, const char *src)
{
    while ((*dst++ = *src++))
        ;
}

int sum(int n, int a[static n], int (*grid)[3])
{
    int total = 0, *p = a, **pp = &p;
    do total += **pp, ++*pp; while (--n);
    return total + grid[0][1] + -+-1 + !!total + ~0 + sizeof(int[3]) / sizeof(int);
}
