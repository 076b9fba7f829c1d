#pragma once
#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define STRINGIFY(x) #x
#define CONCAT(a, b) a##b
#define FOR_EACH(i, n) \
    for (int i = 0; i < (n); ++i)
#define UNBALANCED_TEXT "}{("
int value_of(const char *name);
