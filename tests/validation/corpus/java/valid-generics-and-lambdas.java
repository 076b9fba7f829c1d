import java.util.*;
import java.util.function.*;
import java.util.stream.Collectors;

public class Pipeline<T extends Comparable<? super T> & java.io.Serializable> {
    private final Map<String, List<? extends T>> groups = new HashMap<>();

    public <R> Optional<R> apply(Function<? super T, ? extends R> f, T value) {
        return Optional.ofNullable(value).map(f);
    }

    static List<String> names(Collection<?> items) {
        return items.stream()
            .filter(Objects::nonNull)
            .map(Object::toString)
            .sorted(Comparator.<String>naturalOrder().reversed())
            .collect(Collectors.toCollection(ArrayList<String>::new));
    }
    int[][] grid = new int[3][], other = {{1, 2}, {3,},};
    Supplier<int[]> make = () -> new int[] {1, 2, 3};
    BiFunction<Integer, Integer, Integer> add = (var a, var b) -> a + b;
}
