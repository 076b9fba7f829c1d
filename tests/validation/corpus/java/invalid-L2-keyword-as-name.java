class Config {
    private int default = 3;
    int get() { return 1; }
}
