#pragma once
#include <functional>

inline auto twice = [](auto x) { return x * 2; };
inline const std::function<int(int)> inc = [step = 1](int n) -> int { return n + step; };
template <auto F> struct Wrap { static constexpr auto run() { return F(2); } };
