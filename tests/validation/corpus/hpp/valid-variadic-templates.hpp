#pragma once
#include <tuple>
#include <utility>

template <typename... Ts>
struct Overload : Ts... { using Ts::operator()...; };
template <typename... Ts> Overload(Ts...) -> Overload<Ts...>;

template <typename F, typename... Args>
decltype(auto) call(F &&f, Args &&...args) { return std::forward<F>(f)(std::forward<Args>(args)...); }
