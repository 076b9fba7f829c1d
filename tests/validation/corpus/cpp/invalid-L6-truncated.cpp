#include <string>
#include <vector>

std::vector<std::string> split(const std::string &text) {
    std::vector<std::string> parts;
    parts.push_back(text.substr(0,
