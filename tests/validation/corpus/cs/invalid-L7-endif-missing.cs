#if DEBUG
public class A
{
    public int X = 1;
}

public class B { }
