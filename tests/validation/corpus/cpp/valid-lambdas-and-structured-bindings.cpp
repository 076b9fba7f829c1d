#include <algorithm>
#include <map>
#include <string>

int main() {
    std::map<std::string, int> counts{{"a", 1}, {"b", 2}};
    for (const auto &[key, value] : counts)
        if (auto it = counts.find(key); it != counts.end()) (void)it->second;
    auto compare = [&counts, limit = 3]<typename T>(const T &a, T b) mutable noexcept -> bool { return a < b && limit-- > 0; };
    auto [min, max] = std::minmax({3, 1, 2});
    auto f = [] {};
    f(), [] { return 1; }();
    return compare(min, max) ? 0 : [=] { return 1; }();
}
