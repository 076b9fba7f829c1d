#include <stddef.h>
#include <stdio.h>

enum colour : unsigned char { RED, GREEN = 4, BLUE, };

[[nodiscard]] static constexpr int limit = 0b1010'0000;

typedef struct { int x, y; } point;

static bool is_null(const void *p) { return p == nullptr; }

[[maybe_unused]] static int square(typeof(limit) n) { auto copy = n; return copy * n; }
