public enum Operation implements java.util.function.IntBinaryOperator {
    PLUS("+") {
        @Override public int applyAsInt(int a, int b) { return a + b; }
    },
    TIMES("*") {
        @Override public int applyAsInt(int a, int b) { return a * b; }
    },
    ;

    private final String symbol;

    Operation(String symbol) { this.symbol = symbol; }

    @Override public String toString() { return symbol; }
}
