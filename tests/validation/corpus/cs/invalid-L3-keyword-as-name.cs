public class Config
{
    private int event = 3;
    private int other = 4;
}
