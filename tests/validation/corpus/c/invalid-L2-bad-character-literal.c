int main(void) {
    char c = ';
    return c;
}
