#include <algorithm>
#include <compare>
#include <concepts>
#include <coroutine>
#include <expected>
#include <format>
#include <map>
#include <memory>
#include <optional>
#include <print>
#include <ranges>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace app::detail::inline v2 {

template <typename T>
concept Numeric = std::integral<T> || std::floating_point<T>;

template <class T>
concept Container = requires(T t, const T ct) {
    typename T::value_type;
    { ct.size() } -> std::convertible_to<std::size_t>;
    { t.begin() } noexcept;
    requires sizeof(T) > 1 && !std::is_void_v<T>;
    t.clear();
};

template <typename... Ts> struct overloaded : Ts... { using Ts::operator()...; };

template <Numeric T = int, auto N = 3zu, template <class, class...> class C = std::vector>
    requires (N > 0) && std::copyable<T>
class Ring final : public std::enable_shared_from_this<Ring<T, N, C>> {
public:
    using value_type = T;
    constexpr Ring() noexcept(true) = default;
    explicit(false) Ring(std::initializer_list<T> init) : data_{init}, size_(init.size()) {}
    Ring(const Ring&) = delete;
    Ring& operator=(Ring&&) & = default;
    virtual ~Ring() = default;
    auto operator<=>(const Ring&) const = default;
    bool operator==(const Ring& o) const noexcept { return data_ == o.data_; }
    explicit operator bool() const { return !data_.empty(); }
    template <typename Self> auto&& at(this Self&& self, std::size_t i) { return std::forward<Self>(self).data_[i % N]; }
    auto operator[](std::size_t i, std::size_t j = 0) const -> const T& { return data_[i + j]; }
    static auto operator()(int x) { return x * 2; }
    friend std::ostream& operator<<(std::ostream& os, const Ring& r) { return os << r.size_; }
    [[nodiscard, deprecated("old")]] constexpr auto size() const -> decltype(auto) { return size_; }
private:
    C<T> data_{};
    std::size_t size_ = 0uz;
    mutable std::unique_ptr<int[]> buf_ = std::make_unique<int[]>(4);
    static inline int count_{0};
};

template <> class Ring<bool, 1>;
template <typename T> Ring(std::initializer_list<T>) -> Ring<T>;
template <class T> constexpr bool is_ring = false;
template <class T, auto N> inline constexpr bool is_ring<Ring<T, N>> = true;

constexpr auto sum(Numeric auto... xs) { return (0 + ... + xs); }
consteval int sq(int n) { return n * n; }
constinit thread_local int tls = sq(3);
auto operator""_km(long double v) -> double { return static_cast<double>(v) * 1'000.0; }

std::expected<int, std::string> parse(std::string_view s) try {
    if consteval { return 1; } else if constexpr (sizeof(int) == 4) { }
    if (auto it = s.find(':'); it != s.npos) [[likely]] return std::stoi(std::string{s.substr(0, it)});
    return std::unexpected("bad"s);
} catch (const std::exception& e) { return std::unexpected(e.what()); } catch (...) { throw; }

}  // namespace app::detail::inline v2

int main() {
    using namespace std::literals;
    auto [a, b] = std::pair{1, 2.0};
    std::map<std::string, std::vector<std::vector<int>>> m{{"a", {{1}, {2}}}};
    for (const auto& [k, v] : m | std::views::filter([](auto&& kv) { return kv.first != ""; })) std::println("{}: {}", k, v.size());
    for (int i = 0; auto& x : std::vector{1, 2}) x += i++;
    std::variant<int, std::string> var = "x";
    std::visit(overloaded{[](int i) { }, [&, n = a]<typename T>(const T& t) mutable noexcept -> void { n++; }}, var);
    auto lam = [=, q = &a]<class... A>(A&&... args) requires (sizeof...(A) > 0) { return (args && ...); };
    const char* raw = R"sql(SELECT ")" FROM t)sql"; char8_t c8 = u8'x'; auto w = L"wide" U"32";
    int Foo::* pm = &Foo::bar; int (Foo::*pf)(int) const = &Foo::baz; (obj.*pf)(1); (ptr->*pf)(2);
    std::unique_ptr<int, decltype([](int* p) { delete p; })> up{new int{5}};
    int* arr = new int[10]{}; delete[] arr; auto** pp = new int*[4];
    switch (a) { case 1: [[fallthrough]]; case 2: break; default: goto end; }
    static_assert(sq(2) == 4, "math"); do { --a; } while (a > 0);
    auto t = a < b ? a : b; bool x = a < 1 && b > (2); x = not x and true or false;
    if (int* p = nullptr; p == nullptr) { } else { }
end:
    return a <=> 3 == 0 ? 0 : 0x1.8p3 > 1;
}
