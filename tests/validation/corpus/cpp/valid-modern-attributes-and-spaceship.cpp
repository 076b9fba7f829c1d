#include <compare>
#include <cstdint>

enum class Level : std::uint8_t { low [[deprecated("use mid")]] = 1, mid, high };

struct [[nodiscard]] Version {
    int major{}, minor{};
    auto operator<=>(const Version &) const = default;
};

constexpr bool newer(Version a, Version b) { return (a <=> b) > 0; }
static_assert(newer({.major = 2, .minor = 0}, {.major = 1, .minor = 9}));
[[noreturn]] void stop() { while (true) {} }
using enum Level;
alignas(64) inline thread_local int slot = 0;
