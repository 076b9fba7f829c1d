class Describe {
    sealed interface Node permits Leaf, Branch {}
    record Leaf(int value) implements Node {}
    record Branch(Node left, Node right) implements Node {}

    static String show(Object o) {
        return switch (o) {
            case null -> "nothing";
            case Integer i when i > 10 -> "big " + i;
            case Integer i -> "int " + i;
            case Branch(Leaf(var a), Leaf(int b)) -> "leaves " + (a + b);
            case Branch(var l, _) -> "branch " + l;
            case String s when !s.isBlank() && s.length() < 5 -> s;
            case int[] array -> "array of " + array.length;
            default -> {
                var text = o.toString();
                yield text;
            }
        };
    }
}
