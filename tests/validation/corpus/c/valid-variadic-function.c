#include <stdarg.h>
#include <stdio.h>

extern int errno_like;

int total(int count, ...)
{
    va_list args;
    va_start(args, count);
    int sum = 0;
    for (; count > 0; count--)
        sum += va_arg(args, int);
    va_end(args);
    return sum;
}

int main(void) { return printf("%d\n", total(3, 1, 2, 3)) < 0; }
