#pragma once
#include <array>
#include <type_traits>

namespace meta {
template <std::size_t... I> struct seq {};
template <typename T, typename = void> struct has_size : std::false_type {};
template <typename T> struct has_size<T, std::void_t<decltype(std::declval<T>().size())>> : std::true_type {};
template <class T> using ptr = std::add_pointer_t<std::remove_cvref_t<T>>;
template <typename F> struct fn_traits;
template <typename R, typename... A> struct fn_traits<R (*)(A...) noexcept> { using ret = R; static constexpr auto n = sizeof...(A); };
template <typename T, std::enable_if_t<std::is_integral_v<T> && (sizeof(T) < 8), int> = 0> constexpr T half(T t) { return t >> 1; }
template <auto V> struct constant { static constexpr auto value = V; };
template <size_t N> struct fixed { char s[N]; consteval fixed(const char (&a)[N]) { for (size_t i = 0; i < N; ++i) s[i] = a[i]; } };
template <fixed S> constexpr auto operator""_s() { return S; }
constexpr std::array<std::array<int, 2>, 2> grid{{{1, 2}, {3, 4}}};
template <class... Ts> constexpr auto size_v = (sizeof(Ts) + ... + 0);
template <class T> auto f(T&& t) noexcept(noexcept(t.swap(t))) -> decltype(t.begin(), void()) { (void)t; }
template <typename D> struct crtp { D& self() { return static_cast<D&>(*this); } const D& self() const { return static_cast<const D&>(*this); } };
struct impl : crtp<impl> { using crtp<impl>::crtp; using base = crtp; void g() { this->template h<int>(); typename base::type x; } unsigned bits : 3 = 1; };
template <class T> T typename_test(typename T::type* p, typename T::template rebind<int>::other o) { return T{}; }
extern template class std::vector<int>;
inline namespace v1 { extern "C" int c_func(int, ...); }
[[gnu::always_inline]] inline auto id = []<class T>(T&& x) static constexpr noexcept -> T&& { return static_cast<T&&>(x); };
#define STR(x) #x
#define CAT(a, b) a##b
#if defined(_MSC_VER) && _MSC_VER >= 1900
#error "no"
#elif __cplusplus < 202002L
#warning old
#else
using CAT(my, type) = int;
#endif
unsigned h(void* p) { return unsigned((uintptr_t)p) >> 4 ^ unsigned(3) >> 9; }
auto mm = std::min<int>(1, 2), nn = (std::max)(3, 4);
}
