#pragma once
#include <compare>
#include <iosfwd>

struct Money {
    long cents{};
    explicit constexpr Money(long c) : cents{c} {}
    constexpr auto operator<=>(const Money &) const = default;
    Money &operator+=(Money o) { cents += o.cents; return *this; }
    friend std::ostream &operator<<(std::ostream &, const Money &);
    explicit operator bool() const { return cents != 0; }
    Money operator-() const { return Money{-cents}; }
};
