#nullable enable
global using System.Text.Json;
using System;
using static System.Math;
using Point = (int X, int Y);

namespace Demo.Shapes;

[JsonSerializable(typeof(Dictionary<string, int[]>))]
public partial class Ctx : JsonSerializerContext;

public abstract record Shape(string Name)
{
    public required int Id { get; init; }
    public sealed record Circle(double R) : Shape("circle");
    public record struct Rect(double W, double H) { public readonly double Area => W * H; }
}

public interface IParse<TSelf> where TSelf : IParse<TSelf>, allows ref struct
{
    static abstract TSelf Parse(ReadOnlySpan<char> s);
    static virtual TSelf operator +(TSelf a, TSelf b) => a;
}

public sealed class Service<T>(ILogger<Service<T>> logger, int size = 10) : IDisposable where T : class?, new()
{
    private readonly Lock _gate = new();
    private List<T?> _items = [];
    private int[] Numbers { get; } = [1, 2, .. Enumerable.Range(3, 4), ^1 is { } ? 5 : 6];
    public string Title { get => field ??= "none"; set => field = value.Trim(); }
    public event EventHandler<(int, string)>? Changed;
    public T? this[Index i, params ReadOnlySpan<int> rest] => _items[i];

    public async IAsyncEnumerable<string> StreamAsync([EnumeratorCancellation] CancellationToken ct = default)
    {
        await foreach (var (key, value) in Source().WithCancellation(ct).ConfigureAwait(false))
        {
            await using var scope = Begin();
            using (logger.BeginScope(key)) { yield return $"{key,-10}: {value:N2} {{raw}} {(value > 1 ? "big" : "small")}"; }
        }
        lock (_gate) { Changed?.Invoke(this, (1, "x")); }
    }

    public static string Describe(object? o) => o switch
    {
        null => "null",
        int and > 0 and < 10 or 42 => "small",
        string { Length: > 3 and var n } s when s[0] is 'a' or 'b' => $"{s}{n}",
        [1, .., var last] => $"list {last}",
        [] or [_] => "short",
        Shape.Circle(var r) { Id: not 0 } c => c.Name,
        (int x, _) => x.ToString(),
        IEnumerable<int> and not List<int> => "enum",
        _ => throw new ArgumentOutOfRangeException(nameof(o)),
    };

    public void Dispose() => GC.SuppressFinalize(this);
    ~Service() { }
    public static implicit operator int(Service<T> s) => s._items.Count;
    public static bool operator ==(Service<T> a, Service<T> b) => ReferenceEquals(a, b);
    public static bool operator !=(Service<T> a, Service<T> b) => !(a == b);
}
