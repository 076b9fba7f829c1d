#include <array>
#include <tuple>
#include <type_traits>
#include <vector>

template <class T, std::size_t N = 4, template <class...> class C = std::vector>
struct Matrix {
    std::array<std::array<T, N>, N> rows;
    template <auto V> static constexpr auto value = V;
    C<std::vector<std::vector<T>>> nested;
};

template <> struct Matrix<bool, 1> {};
template <class... Ts> using last = std::tuple_element_t<sizeof...(Ts) - 1, std::tuple<Ts...>>;
template struct Matrix<int, (8 >> 1)>;
template <class T> requires std::is_integral_v<T> auto half(T t) { return t / 2; }
template <class T> void call(T t) { t.template get<int>(); typename T::type x{}; (void)x; }
