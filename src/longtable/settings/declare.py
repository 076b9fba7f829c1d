"""How an option is declared: a dataclass field with its kind, its help and its sources."""

from collections.abc import Callable
from dataclasses import MISSING, Field, dataclass, field, fields
from typing import Any, TypeVar

from longtable.settings.kinds import Kind

T = TypeVar("T")

PREFIX = "LONGTABLE_"


@dataclass(frozen=True)
class Sources:
    """Where an option can be set, when that is not flag, environment and file by its own name."""

    flag: str | None = ""
    in_file: bool = True
    environment: str = ""
    """The whole name of the variable, where it is one that other programs read too."""


_ALL_SOURCES = Sources()


@dataclass(frozen=True, eq=False)
class Option:
    """One row of the table. A flag or key that is None does not exist."""

    name: str
    group: str
    kind: Kind[Any]
    help: str
    default_text: str
    flag: str | None
    environment: str
    key: str | None
    effective: str
    """The attribute with the effective value, where an unset option depends on others."""

    def shown(self, value: Any) -> Any:
        return None if value is None else self.kind.shown(value)

    def dump(self, value: Any) -> Any:
        return None if value is None else self.kind.dump(value)

    def hides(self, value: Any) -> bool:
        """Whether this value holds a secret: the address of a store does so only with a password."""
        return self.kind.secret and self.shown(value) != self.dump(value)


def option(
    kind: Kind[T],
    default: T,
    help: str,
    *,
    default_text: str = "",
    effective: str = "",
    sources: Sources = _ALL_SOURCES,
) -> T:
    """One declaration gives mypy the type, the dataclass the default and the table the rest."""
    metadata = {"kind": kind, "help": help, "default_text": default_text, "effective": effective, "sources": sources}
    return field(default=default, repr=not kind.secret, metadata=metadata)


def option_with_factory(kind: Kind[T], make: Callable[[], T], help: str, *, default_text: str) -> T:
    """An option whose default is computed when it is needed."""
    metadata = {"kind": kind, "help": help, "default_text": default_text, "effective": "", "sources": _ALL_SOURCES}
    return field(default_factory=make, repr=not kind.secret, metadata=metadata)


def rows(settings: type[Any]) -> tuple[Option, ...]:
    """The bases of the settings are the groups of the table, their docstrings the titles."""
    return tuple(_row(group.__doc__ or "", declared) for group in settings.__bases__ for declared in fields(group))


def _row(group: str, declared: Field[Any]) -> Option:
    name, metadata = declared.name, declared.metadata
    sources: Sources = metadata["sources"]
    return Option(
        name=name,
        group=group,
        kind=metadata["kind"],
        help=metadata["help"],
        default_text=metadata["default_text"] or _default_text(metadata["kind"], declared.default),
        flag=f"--{name.replace('_', '-')}" if sources.flag == "" else sources.flag,
        environment=sources.environment or PREFIX + name.upper(),
        key=name if sources.in_file else None,
        effective=metadata["effective"] or name,
    )


def _default_text(kind: Kind[Any], default: Any) -> str:
    if default is None or default is MISSING:
        return "none"
    shown = kind.shown(default)
    return str(shown).lower() if isinstance(shown, bool) else str(shown)
