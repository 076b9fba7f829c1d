type Vector[T: (int, float) = float] = list[T]
type Callback[**P, *Ts] = "Callable[P, tuple[*Ts]]"


class Box[T]:
    def __init__(self, value: T) -> None:
        self.value = value

    def map[U](self, f: "Callable[[T], U]") -> "Box[U]":
        return Box(f(self.value))


def first[T: str](items: list[T], /, *, default: T | None = None) -> T | None:
    return items[0] if items else default
