int second(int *values) {
    int x = values[1);
    return x;
}
