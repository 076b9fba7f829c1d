#include <iostream>

int main(int argc, char **argv) {
    auto half = static_cast<double(argc) / 2;
    std::cout << half << '\n';
}
