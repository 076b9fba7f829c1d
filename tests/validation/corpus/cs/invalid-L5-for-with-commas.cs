public class Loop
{
    public void Run()
    {
        for (int i = 0, i < 10, i++)
        {
        }
    }
}
