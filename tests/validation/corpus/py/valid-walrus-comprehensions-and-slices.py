data = [3, 1, 4, 1, 5]
if (n := len(data)) > 3 and not (m := [x for x in data if (y := x * 2) > 4 if x]):
    print(n, m, y)
matrix = [[i * j for j in range(3)] for i in range(3)]
flat = {*(v for row in matrix for v in row), *data}
lookup = {k: v for k, v in zip("abc", range(3), strict=True)} | {"z": -1, **{"y": 0}}
part = data[1:-1:2], data[:], data[..., None] if False else data[::-1]
a, (b, *c), d = 1, (2, 3, 4), 5
a = b = c = d
x: int
print(flat, lookup, part, 1_000, 0xFF, 0b11, 1e-3, 2j, not a is b, a if b else c, *data, sep="")
