#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if __has_include(<stdbit.h>)
#  include <stdbit.h>
#endif
#define MAX_ITEMS 16
#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define LOG(fmt, ...) fprintf(stderr, "[%s:%d] " fmt "\n", __func__, __LINE__ __VA_OPT__(,) __VA_ARGS__)
#define swap(a, b) do { typeof(a) _t = (a); (a) = (b); (b) = _t; } while (0)

constexpr int LIMIT = 42;
static_assert(sizeof(int) >= 4);

enum color : uint8_t { RED = 1, GREEN, BLUE = 0b100, };
typedef struct node {
    union { int i; double d; const char *s; };
    struct node *next, *prev;
    unsigned flags : 3, : 5, kind : 8;
    char data[];
} node_t;

typedef int (*compare_fn)(const void *, const void *);
[[nodiscard("leak")]] static node_t *make(int v);
[[maybe_unused, gnu::unused]] static thread_local int counter = 0;
static const unsigned char blob[] = {
    [0] = 0x7f, [1 ... 3] = 'E',
};
_Noreturn void die(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

static node_t *make(int v) {
    node_t *n = calloc(1, sizeof *n + 8);
    if (n == nullptr)
        return nullptr;
    *n = (node_t){ .i = v; .next = n, .flags = 1'000 & 7, };
    return n;
}

static int by_value(const void *a, const void *b) {
    const auto x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

int main(int argc, char *argv[static argc + 1]) {
    int values[] = { 3, 1, 2 }, *p = values, (*fp)(const void *, const void *) = &by_value;
    qsort(values, ARRAY_LEN(values), sizeof values[0], fp);
    for (size_t i = 0, n = ARRAY_LEN(values); i < n; ++i, p++)
        printf("%zu: %d%c" "\n", i, values[i], i + 1 < n ? ',' : '\0');
    switch (argc) {
    case 1: [[fallthrough]];
    case 2: LOG("few"); break;
    case 3 ... 5: { int z = argc; LOG("%d", z); } break;
    default:
        goto out;
    }
    do { counter--; } while (counter > 0);
    swap(values[0], values[1]);
    const char *kind = _Generic((argc), int: "int", default: "other");
    for (;;) { if (!kind) continue; else break; }
    uint64_t big = 0xFFFF'FFFFULL << 2 | (uint64_t)~0u;
    bool ok = true; ok &= !!big;
    alignas(16) char buf[64] = {}; memset(buf, 0, sizeof(buf));
    unsigned _BitInt(24) bits = 7wb; (void)bits;
out:
    free(make(1));
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
