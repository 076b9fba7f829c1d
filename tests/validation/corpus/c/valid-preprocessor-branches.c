#ifndef BUFFER_SIZE
#define BUFFER_SIZE 1024
#endif
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define LOG(fmt, ...) \
    do { \
        fprintf(stderr, "%s:%d " fmt "\n", __FILE__, __LINE__ __VA_OPT__(,) __VA_ARGS__); \
    } while (0)

#include <stdio.h>

#if defined(_WIN32) && !defined(__CYGWIN__)
static const char sep = '\\';
#elif defined(__unix__)
static const char sep = '/';
#else
#error "unknown platform"
#endif

int pick(int a) { LOG("sep %c", sep); return MAX(a, BUFFER_SIZE); }
