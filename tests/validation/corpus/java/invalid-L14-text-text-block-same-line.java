import java.io.IOException;
import java.util.concurrent.*;
import java.lang.annotation.*;

@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE_USE})
@interface Audit {
    String value() default "";
    int[] levels() default {1, 2};
    Class<? extends Throwable>[] errors() default {};
}

public class Service<T extends Comparable<? super T> & java.io.Serializable> {
    private static final String SQL = """SELECT "id", name
        FROM users -- \"""quoted\"""
        WHERE a = 'x' \
          AND b = ?\t
        """;
    static { System.out.println(SQL); }
    { counter = 1; }
    private volatile int counter = 0x7f_ff, other[] = {1, 2,}, grid[][] = new int[3][];

    enum Level implements IntSupplier {
        LOW(1) { @Override public int getAsInt() { return -1; } },
        HIGH(2),
        ;
        private final int n;
        Level(int n) { this.n = n; }
        public int getAsInt() { return n; }
    }

    @Audit(value = "x", levels = {3})
    public <R, E extends Exception> R call(@Audit String name, final Callable<? super R>... cs) throws IOException, E {
        outer:
        for (int i = 0, j = 10; i < j; i++, --j) {
            for (var c : cs) {
                if (c == null) continue outer; else break outer;
            }
        }
        try (var ex = Executors.newVirtualThreadPerTaskExecutor(); this.res) {
            Future<String> f = ex.submit(() -> { Thread.sleep(1L); return "x"; });
            int v = f.isDone() ? 1 : f instanceof Object o && o != null ? 2 : (int) 3.0f;
            Runnable r = Service.super::toString, q = int[]::new;
            BiFunction<Integer, Integer, Integer> add = (final var a, var b) -> a + b >>> 1;
        } catch (final IllegalStateException | InterruptedException _) {
            throw (E) new Exception("failed: " + name, null);
        } finally {
            synchronized (this) { counter += 1; }
        }
        do { assert counter > 0 : "neg"; } while (false);
        char c = '\u0041', d = '\'', e = '\\';
        switch (c) { case 'a': case 'b', 'c': return null; default: ; }
        int day = switch (d) { case 'x', 'y' -> 1; default -> { yield 2; } };
        Object o = new Object() { int x = 1; @Override public String toString() { return "anon"; } };
        return this.<R>cast(o);
    }

    native void nat();
    abstract static class Inner { protected abstract void run() throws Exception; }
    interface Calc { private int p() { return 1; } default int d() { return p(); } static Calc of() { return new Calc() {}; } }
}
