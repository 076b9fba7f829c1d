public class Counter
{
    private int value;
    public int Next()
    {
        return value++;
    }
