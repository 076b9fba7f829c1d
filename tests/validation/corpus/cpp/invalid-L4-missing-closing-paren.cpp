#include <iostream>

int main() {
    if (1 < 2 {
        std::cout << "yes";
    }
}
