using System.Linq;
using System.Text;

var builder = WebApplication.CreateBuilder(args);
builder.Services.AddSingleton<IRepo, Repo>();
var app = builder.Build();

app.MapGet("/items/{id:int}", async Task<Results<Ok<Item>, NotFound>> (int id, [FromServices] IRepo repo) =>
    await repo.Find(id) is { } item ? TypedResults.Ok(item) : TypedResults.NotFound());

string json = """
    { "a": "b", "path": "C:\temp" }
    """;
var name = "x";
var raw = $$"""
    { "name": "{{name}}", "lit": {0} }
    """;
var verb = @"C:\dir ""quoted""" + $@"\{name}" + @$"{name}\" + "u8"u8.Length;
int[][] jag = [[1], [2, 3]];
int[,] grid = { { 1, 2 }, { 3, 4 } };
Span<byte> buf = stackalloc byte[16];
var anon = new { name, Age = 3, Nested = new[] { 1, 2 } };
var dict = new Dictionary<string, Func<int, int>> { ["a"] = x => x + 1, ["b"] = static x => { return x; } };
var q = from p in people
        let n = p.Name
        where n.Length > 3 && !n.StartsWith('A')
        join d in depts on p.Id equals d.Id into g
        orderby p.Age descending, n
        group p by p.City into c
        select new { c.Key, Count = c.Count() };
Action<int, string> act = delegate (int i, string s) { };
var lam = (ref int x, int y = 2, params int[] rest) => x + y;
goto done;
for (int i = 0, j = 1; i < 10 && j > 0; i++, j--) { if (i == 3) continue; else break; }
checked { unsafe { fixed (byte* p = buf) { *p = 1; p->ToString(); } } }
try { throw; } catch (IOException e) when (e.HResult == 1) { } catch { } finally { }
switch (name) { case "a" or "b": case { Length: 3 }: break; case var s when s.Length > 1: goto default; default: return; }
done: Console.WriteLine($"{1 + 1:D3} {name?[0] ?? '?'} {name!.Length} {nameof(List<int>.Count)} {typeof(Dictionary<,>)}");
(int a, var b) = (1, "two"); (a, _) = (b.Length, 3);
ref readonly var rr = ref buf[^1]; var slice = buf[1..^2];
int Local<T>(T t) where T : struct => default; 
if (args is [var first, .. var others] and not ["--help"]) await Task.WhenAll(others.Select(async o => await Run(o)));
do { a >>>= 1; b ??= ""; } while (a > 0);
record Item(int Id) { public override string ToString() => base.ToString(); }
file class Hidden { private protected const decimal M = 1.5m; }
enum Level : byte { Low = 1 << 0, High = Low | 2, }
delegate Task<T> Handler<in TArg, T>(TArg a) where T : notnull;
