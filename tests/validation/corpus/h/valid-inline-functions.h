#pragma once
#include <stdbool.h>
#include <stdint.h>

static inline bool is_power_of_two(uint32_t n) { return n && !(n & (n - 1)); }
static inline int clamp(int v, int lo, int hi)
{
    return v < lo ? lo : v > hi ? hi : v;
}
