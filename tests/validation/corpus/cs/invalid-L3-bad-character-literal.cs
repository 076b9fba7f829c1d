public class Letters
{
    private char first = 'ab';
    private char second = 'c';
}
