class Letters {
    char first = 'ab';
    char second = 'c';
    int n = 1;
}
