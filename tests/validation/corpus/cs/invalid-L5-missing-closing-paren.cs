public class Check
{
    public bool Positive(int n)
    {
        if (n > 0 {
            return true;
        }
        return false;
    }
}
