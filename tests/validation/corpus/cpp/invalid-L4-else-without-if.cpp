int sign(int n) {
    if (n > 0) return 1;
    n = -n;
    else return -1;
    return 0;
}
