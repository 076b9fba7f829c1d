#include <vector>

int sum(const std::vector<int> &v) {
    int total = 0;
    for (int n : v) {
        total += n;
    return total;
}
