public class Price
{
    public double Total(double net, double tax)
    {
        double sum = net * (1 + tax) tax;
        return sum;
    }
}
