int main(void) {
    int n = 3;
    if (n > 2 {
        return 1;
    }
    return 0;
}
