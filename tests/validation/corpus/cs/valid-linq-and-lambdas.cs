using System;
using System.Linq;

var people = new[] { (Name: "Ada", Age: 36), (Name: "Grace", Age: 85) };
var query = from p in people
            where p.Age > 30
            let initial = p.Name[0]
            orderby p.Age descending, p.Name
            group p by initial into g
            select new { g.Key, Count = g.Count() };
Func<int, int, int> add = static (a, b) => a + b;
var parse = (string s, int radix = 10) => Convert.ToInt32(s, radix);
Action<object> log = delegate (object o) { Console.WriteLine(o); };
log(query.FirstOrDefault(q => q is { Count: > 0 })?.Key ?? '?');
var (x, _) = (add(1, 2), parse("3"));
