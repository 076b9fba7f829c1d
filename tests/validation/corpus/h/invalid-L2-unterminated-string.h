#pragma once
static const char *name = "demo;
int x(void);
