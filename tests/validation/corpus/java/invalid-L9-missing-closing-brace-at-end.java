public class Counter {
    private int value;

    public int next() {
        if (value < 10) {
            value++;
        return value;
    }
}
