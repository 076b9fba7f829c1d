#pragma once
#include <iterator>
template <class It>
    requires std::forward_iterator<It> && (sizeof(It) <= 64)
struct Range {
    It first, last;
    auto begin() const { return first; }
    auto end() const requires requires { last; } { return last; }
};
