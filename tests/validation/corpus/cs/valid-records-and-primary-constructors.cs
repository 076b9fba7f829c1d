namespace Demo.Model;

public record Point(int X, int Y)
{
    public double Length => Math.Sqrt(X * X + Y * Y);
}

public readonly record struct Size(double Width, double Height = 1.0);

public class Service(ILogger logger, int retries = 3) : IDisposable
{
    private readonly ILogger _logger = logger;
    public int Retries { get; init; } = retries;
    public required string Name { get; set; }
    public void Dispose() => GC.SuppressFinalize(this);
}
