public class Matcher {
    record Pair<A, B>(A left, B right) {}

    static int size(Object o) {
        if (o instanceof String s && !s.isEmpty()) return s.length();
        if (!(o instanceof Pair<?, ?>(String left, var right))) {
            return o instanceof final Integer i ? i << 2 >>> 1 : -1;
        }
        return left.length() > 3 ? right.hashCode() : (int) 'c';
    }

    int old(int day) {
        switch (day) { case 1: case 7: return 0; default: return 1; }
    }
    int arrow(int day) { return switch (day) { case 1, 7 -> 0; default -> { yield 1; } }; }
}
