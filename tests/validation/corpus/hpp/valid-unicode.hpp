#pragma once
/* Größe "unbalanced ( */
#include <string>
namespace größe {
inline const std::string text = "日本語 🎉";
inline const auto raw = R"(a "quoted" ) brace {)";
inline const char32_t c = U'世';
}
