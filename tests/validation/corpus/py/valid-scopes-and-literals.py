COUNT = 0


def bump():
    global COUNT
    COUNT += 1
    total = 0

    def inner():
        nonlocal total
        total += COUNT
        return total

    return inner


class Meta(type):
    def __new__(mcls, name, bases, ns, /, **kw):
        return super().__new__(mcls, name, bases, dict(ns))


class Base(metaclass=Meta, debug=True):
    x: int = 1; y: "str" = ""
    __slots__ = ()

    def __init_subclass__(cls, /, *, tag: str = "", **kwargs): super().__init_subclass__(**kwargs)

    @property
    def value(self): return self._v

    @value.setter
    def value(self, v): self._v = v


def gen(n):
    while n: n -= 1; x = yield n; print(x)
    return (yield from range(3))


a = b, *c = 1, 2, 3
first, (second, [third, *rest]) = 1, (2, [3, 4])
d = {**{"a": 1}, "b": 2, **dict(c=3)}
s = slice(None); m = [[0] * 3 for _ in range(3)]; print(m[0][::-1], m[..., 1:2] if False else 0)
del a, b; assert d, "no"
x = 0xFF_FF + 0b1010 + 0o17 + 1_000.5e-3 + 2j
lam = lambda *a, k=1, **kw: (a, k, kw)
print(not x in d, x is not None, -x ** 2, ~0 >> 1 & 3 ^ 4 | 5)
