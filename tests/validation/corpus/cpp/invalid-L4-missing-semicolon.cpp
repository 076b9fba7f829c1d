#include <iostream>

int main() {
    auto count = 3
    std::cout << count << '\n';
}
