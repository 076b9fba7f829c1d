namespace app {
int one() { return 1; }
}
}
int main() { return app::one(); }
