public class Program
{
    public static void Main()
    {
        int count = 3
        System.Console.WriteLine(count);
    }
}
