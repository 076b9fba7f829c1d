public class Greeting
{
    public string Hello()
    {
        return "hello;
    }
}
