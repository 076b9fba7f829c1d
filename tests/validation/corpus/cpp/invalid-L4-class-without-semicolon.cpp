class Point {
public:
    int x = 0;
}

int main() { return 0; }
