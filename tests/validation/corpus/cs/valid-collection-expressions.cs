using System;
using System.Collections.Generic;

int[] first = [1, 2, 3];
List<string> names = ["Ada", .. new[] { "Grace" }, "Alan"];
Span<int> empty = [];
int[][] grid = [[1, 2], [3], []];
int[] all = [.. first, 4, .. grid[0]];
Console.WriteLine(all[^1] + names[0] + string.Join(", ", all[1..^1]) + empty.Length);
