#include <concepts>
#include <ranges>
#include <string>
#include <vector>

template <typename T>
concept Shape = requires(const T &s, double k) {
    { s.area() } -> std::convertible_to<double>;
    { s.scale(k) } noexcept;
    typename T::unit;
    requires sizeof(T) > 1;
};

template <Shape... S>
double total(const S &...shapes) { return (shapes.area() + ... + 0.0); }

auto evens(const std::vector<int> &v) {
    return v | std::views::filter([](int n) { return n % 2 == 0; }) | std::views::transform([](auto n) -> long { return n * 2L; });
}
