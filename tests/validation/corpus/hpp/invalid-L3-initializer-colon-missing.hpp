#pragma once
struct P {
    P() x(0), y(0) {}
    int x, y;
};
