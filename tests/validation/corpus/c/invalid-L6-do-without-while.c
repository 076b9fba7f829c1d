int main(void) {
    int n = 3;
    do {
        n--;
    }
    return n;
}
