public class Box {
    record Point {
        int x() { return 0; }
    }
}
