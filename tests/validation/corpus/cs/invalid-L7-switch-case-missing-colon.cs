public class Days
{
    public string Name(int day)
    {
        switch (day)
        {
            case 1 return "Mon";
            default: return "?";
        }
    }
}
