#ifndef APP_SHAPES_HPP
#define APP_SHAPES_HPP
#include <memory>
namespace app::shapes {
struct Shape {
    virtual ~Shape() = default;
    virtual double area() const = 0;
};
using Ptr = std::unique_ptr<Shape>;
} // namespace app::shapes
#endif
