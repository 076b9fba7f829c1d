#pragma once
#include <stddef.h>

typedef void (*handler_fn)(int code, void *user);
int register_handler(const char *name, handler_fn fn, void *user);
void (*find_handler(const char *name))(int, void *);
extern handler_fn handlers[8];
