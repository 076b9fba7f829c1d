"""Counts by key of what is in progress: in this process, and as far as known in the others on the same store."""


class SharedCounts:
    """`others` is replaced about once a second, where there are other processes."""

    __slots__ = ("others", "own")

    def __init__(self) -> None:
        self.own: dict[str, int] = {}
        self.others: dict[str, int] = {}

    def total(self, key: str) -> int:
        return self.own.get(key, 0) + self.others.get(key, 0)

    def add(self, key: str) -> None:
        self.own[key] = self.own.get(key, 0) + 1

    def remove(self, key: str) -> None:
        left = self.own.get(key, 0) - 1
        if left > 0:
            self.own[key] = left
        else:
            self.own.pop(key, None)
