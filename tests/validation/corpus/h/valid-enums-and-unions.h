#pragma once
enum level { LEVEL_LOW = -1, LEVEL_MID, LEVEL_HIGH = 1 << 4, };
union value {
    int i;
    double d;
    struct { unsigned char r, g, b; } rgb;
};
typedef enum { OFF, ON } state_t;
