#pragma once
struct Shape {
    virtual double area() const = 0
    virtual ~Shape() = default;
};
