#ifndef PLATFORM_H
#define PLATFORM_H
#if defined(_WIN32)
typedef void *handle_t;
#elif defined(__linux__) || defined(__APPLE__)
typedef int handle_t;
#else
#warning "unknown"
typedef long handle_t;
#endif
handle_t open_handle(const char *);
#endif
