#pragma once
struct Base {};
struct Derived : public {
    int x;
};
