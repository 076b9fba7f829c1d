enum class Colour {
    red;
    green;
};
int main() { return 0; }
