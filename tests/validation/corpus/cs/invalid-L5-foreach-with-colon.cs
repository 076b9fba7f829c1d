public class Loop
{
    public void Run(int[] items)
    {
        foreach (var item : items)
        {
        }
    }
}
