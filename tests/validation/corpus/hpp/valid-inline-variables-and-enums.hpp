#pragma once
#include <array>
#include <string_view>

enum class Level : unsigned char { low = 1, mid, high };
inline constexpr std::array<std::string_view, 3> names{"low", "mid }", "high {"};
constexpr std::string_view name(Level l) {
    using enum Level;
    switch (l) { case low: return names[0]; case mid: return names[1]; default: return names[2]; }
}
