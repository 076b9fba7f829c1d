class Greeting {
    /* says hello
    String hello() {
        return "hello";
    }
}
