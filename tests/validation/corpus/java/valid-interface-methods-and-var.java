interface Greeter {
    String PREFIX = "Hello, ";
    private String decorate(String s) { return "*" + s + "*"; }
    default String greet(String name) {
        var message = PREFIX + name;
        return decorate(message);
    }
    static Greeter plain() { return new Greeter() {}; }
    <T extends Greeter> T as(Class<T> type);
}
