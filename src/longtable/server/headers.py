"""The headers of a request, found by name: a request is asked for a dozen of them."""

from typing import Any, TypeVar, overload

from starlette.datastructures import Headers

T = TypeVar("T")


class IndexedHeaders(Headers):
    """Starlette's looks through all of them each time, and makes text of the name first."""

    def __init__(self, raw: list[tuple[bytes, bytes]]) -> None:
        super().__init__(raw=raw)
        self._values: dict[bytes, list[bytes]] = {}
        for name, value in raw:
            self._values.setdefault(name, []).append(value)

    @overload
    def get(self, key: str, /) -> str | None: ...
    @overload
    def get(self, key: str, /, default: str | T) -> str | T: ...
    def get(self, key: str, /, default: Any = None) -> Any:
        found = self._values.get(key.lower().encode("latin-1"))
        return default if found is None else found[0].decode("latin-1")

    def getlist(self, key: str) -> list[str]:
        found = self._values.get(key.lower().encode("latin-1"))
        return [] if found is None else [value.decode("latin-1") for value in found]

    def __getitem__(self, key: str) -> str:
        return self._values[key.lower().encode("latin-1")][0].decode("latin-1")

    def __contains__(self, key: Any) -> bool:
        return key.lower().encode("latin-1") in self._values
