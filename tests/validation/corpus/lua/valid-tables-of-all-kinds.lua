local t = {
  1, 2; 3,
  name = "x",
  ["quoted key"] = true,
  [10] = { { } },
  f = function(...) return select("#", ...), ... end,
  [1 + 1] = nil,
}
t.name, t[1] = t[1], t.name
print(t.f(1, 2), #t, t["quoted key"], (t.f()))
for k, v in pairs(t) do print(k, v) end
