int first(int *values) {
    int copy[3] = {1, 2, 3;
    return values[0] + copy[0];
}
