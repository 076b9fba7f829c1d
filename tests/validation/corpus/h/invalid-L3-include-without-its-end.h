#ifndef POINTS_H
#define POINTS_H
#include <stdint.h

int32_t points_count(void);
#endif
