public class Greeting
{
    /* says hello
    public string Hello() { return "hello"; }
}
