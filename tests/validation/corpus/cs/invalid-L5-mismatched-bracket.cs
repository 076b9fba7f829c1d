public class Pick
{
    public int First(int[] items)
    {
        return items[0);
    }
}
