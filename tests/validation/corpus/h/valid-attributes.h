#pragma once
#include <stdarg.h>

#if defined(__GNUC__)
#  define PRINTF_LIKE(a, b) __attribute__((format(printf, a, b)))
#else
#  define PRINTF_LIKE(a, b)
#endif

[[nodiscard]] int parse(const char *text);
[[deprecated("use parse")]] int old_parse(const char *text);
_Noreturn void fail(const char *fmt, ...);
