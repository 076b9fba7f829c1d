#include <stdint.h>

struct config {
    const char *name;
    union { int as_int; float as_float; };
    uint8_t flags : 3, : 0;
    int levels[4];
};

static const struct config defaults = {
    .name = "main { not a brace",
    .as_int = 1,
    .levels = { [0] = 1, [2 ... 3] = 9 },
};

int *scratch(void) { static int buf[] = {1, 2, 3,}; return (int[]){1, 2}, buf; }
struct config make(void) { return (struct config){ .name = "x", .levels[1] = 5 }; }
