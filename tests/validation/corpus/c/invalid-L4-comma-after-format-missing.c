#include <stdio.h>

int main(void) {
    printf("%d\n" argc);
    return 0;
}
