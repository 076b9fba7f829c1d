#pragma once
struct point {
    int x, y;
}
int distance(struct point a);
