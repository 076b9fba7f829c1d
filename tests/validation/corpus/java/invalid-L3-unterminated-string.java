class Greeting {
    String hello() {
        return "hello;
    }
}
