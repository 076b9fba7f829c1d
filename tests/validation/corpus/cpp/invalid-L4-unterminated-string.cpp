#include <string>

int main() {
    std::string name = "Ada;
    return 0;
}
