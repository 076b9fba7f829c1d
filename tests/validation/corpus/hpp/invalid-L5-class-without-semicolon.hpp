#pragma once
class Point {
public:
    int x = 0;
}
class Other {};
