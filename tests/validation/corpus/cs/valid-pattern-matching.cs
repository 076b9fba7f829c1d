public static class Classifier
{
    public static string Describe(object? value) => value switch
    {
        null => "nothing",
        int n when n < 0 => "negative",
        int and (> 0 and < 10) or 100 => "small",
        string { Length: > 3 } s => s,
        [1, .., var last] => $"list to {last}",
        [] => "empty",
        (int x, _) => $"pair {x}",
        Point { X: 0, Y: var y } => y.ToString(),
        not string and not null => "other",
        _ => throw new ArgumentException(nameof(value)),
    };
    public record Point(int X, int Y);
}
