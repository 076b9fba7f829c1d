int sign(int n) {
    if (n > 0)
        n = 1;
        n = n + 0;
    else
        n = -1;
    return n;
}
