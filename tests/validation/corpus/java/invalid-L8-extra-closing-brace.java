public class Counter {
    private int value;
    }

    public int next() {
        return value++;
    }
}
