int twice(int n) {
    return n * 2;
}
}

int main(void) { return twice(1); }
