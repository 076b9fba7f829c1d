from string.templatelib import Template

name = "Ada"
greeting: Template = t"Hello {name!r:>10}"
raw = rt"C:\{name}"
print(greeting, raw)
