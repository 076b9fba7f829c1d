#include <string>

using namespace std::string_literals;

const auto json = R"x({"a": [1, 2, {"b": ")"}]})x"s;
const auto query = R"sql(SELECT ")" FROM t)sql";
const char32_t face = U'😀';
const auto big = 1'000'000ULL + 0b1111'0000 + 0xFFu;
long double operator""_km(long double v) { return v * 1000; }
const auto d = 3.5_km;
const char *joined = "a" "b" R"(})" "\"{";
