#include <optional>
#include <string_view>

struct Counter {
    int value = 0;
    template <class Self>
    auto &&get(this Self &&self) { return static_cast<Self &&>(self).value; }
    static constexpr int operator()(int x) { return x; }
    int operator[](int i, int j) const { return i + j + value; }
};

consteval int twice(int n) { return n * 2; }
constexpr int pick(int n) {
    if consteval { return twice(1); } else { return n; }
}
static_assert(pick(3) == 2);
auto size = 10uz;
auto lambda = [](this auto self, int n) -> int { return n ? n + self(n - 1) : 0; };
