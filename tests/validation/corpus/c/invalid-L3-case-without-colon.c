int name(int n) {
    switch (n) {
    case 1
        return 10;
    default:
        return 0;
    }
}
