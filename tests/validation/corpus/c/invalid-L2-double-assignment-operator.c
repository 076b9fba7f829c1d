int main(void) {
    int n = = 3;
    return n;
}
