public class Calc
{
    def Add(self, a, b):
        return a + b
}
