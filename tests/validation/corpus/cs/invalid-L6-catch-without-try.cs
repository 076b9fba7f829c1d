public class Reader
{
    public void Read()
    {
        int x = 1;
        catch (System.Exception e) { }
    }
}
