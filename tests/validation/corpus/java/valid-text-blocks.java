public class Queries {
    private static final String SQL = """
        SELECT id, name
        FROM users -- "quoted" and {braces
        WHERE name = 'Ada' \
          AND age > 30
        """;
    static final String JSON = """
        {"a": [1, 2, "\""" quotes"]}""";

    public static void main(String... args) {
        System.out.println(SQL + JSON);
    }
}
