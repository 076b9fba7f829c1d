#pragma once
#include <concepts>

template <class T>
concept Number = std::integral<T> || std::floating_point<T>;

template <Number T, Number U = T>
constexpr auto add(T a, U b) noexcept(noexcept(a + b)) -> decltype(a + b) { return a + b; }

constexpr Number auto half(Number auto n) { return n / 2; }
