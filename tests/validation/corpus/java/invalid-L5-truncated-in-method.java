import java.util.List;

public class Names {
    public String join(List<String> names) {
        return String.join(", ",
