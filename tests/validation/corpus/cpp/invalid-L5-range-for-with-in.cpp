#include <vector>

int main() {
    std::vector<int> v{1, 2};
    for (auto x in v) {
        (void)x;
    }
}
