int half(int n) {
    int h = n / 2;
    retrun h + 1;
}
