#include <assert.h>
#include <stdalign.h>
#include <stdatomic.h>

#define type_name(x) _Generic((x), int: "int", double: "double", char *: "string", default: "other")

_Static_assert(sizeof(int) >= 4, "int is too small");
static_assert(1 + 1 == 2);
static alignas(16) _Atomic int counter;
_Thread_local static int local_count;
_Noreturn void die(const char *restrict message);

const char *kind(void) { return type_name(3.5); }
inline static int next(void) { return atomic_fetch_add(&counter, 1) + local_count; }
