public class Counter
{
    private int value;
}
}
public class Other { }
