int main() {
    int x = 1;
    catch (...) {
        x = 2;
    }
    return x;
}
