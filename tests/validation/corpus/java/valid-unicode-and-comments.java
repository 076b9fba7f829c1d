/* comment with { and ( and "quotes */
public class Größe {
    // } a closing brace in a comment
    private final String café = "日本語 🚀 \"quoted\" }";
    int größe = 1; /* trailing ) */
    /** Returns {@code x < y}. */
    boolean kleiner(int x, int y) { return x < y; }
}
