import functools

registry: dict[str, object] = {}


def register(name: str, *, order: int = 0):
    return lambda f: registry.setdefault(name, f)


@register("a", order=(1 if registry else 2))
@functools.lru_cache(maxsize=None)
@(lambda f: f)
def compute(a, b=1, /, c=2, *args, d, e=3, **kwargs) -> "int":
    return a + b + c + d + e + sum(args) + len(kwargs)


buttons = {"x": 1}
key = lambda *a, k=(yield_ := 1), **kw: (a, k, kw)
print(compute(1, *[2], d=4, **buttons), key(1))
