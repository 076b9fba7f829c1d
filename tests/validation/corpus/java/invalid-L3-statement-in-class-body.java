public class Setup {
    private int count = 0;
    count = 5;
    int get() { return count; }
}
