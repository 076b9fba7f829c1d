"""An LRU cache of responses, as bytes."""

from collections import OrderedDict

_OVERHEAD = 200
"""Bytes of an entry besides its response, about."""


class Cache:
    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._bytes = 0
        self._answers: OrderedDict[bytes, bytes] = OrderedDict()

    def get(self, key: bytes) -> bytes | None:
        answer = self._answers.get(key)
        if answer is not None:
            self._answers.move_to_end(key)
        return answer

    def put(self, key: bytes, answer: bytes) -> None:
        if key in self._answers or len(answer) + _OVERHEAD > self._max_bytes:
            return
        self._answers[key] = answer
        self._bytes += len(answer) + _OVERHEAD
        while self._bytes > self._max_bytes:
            _, forgotten = self._answers.popitem(last=False)
            self._bytes -= len(forgotten) + _OVERHEAD

    def __len__(self) -> int:
        return len(self._answers)
