"""References `${NAME}` in the gateway file, and the masking of secrets."""

import re
from collections.abc import Collection, Iterable, Mapping

from longtable.upstreams.config_text import ConfigValue

_REFERENCE = re.compile(r"\$?\$\{([^}]*)\}?")
_INSIDE = re.compile(r"(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?", re.DOTALL)
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_SECRET = re.compile(
    r"(?i:tokens?|keys?|secrets?|passw(or)?d|passphrase|pwd|auth(orization)?|credentials?|cookie|bearer|pat|apikey|"
    r"accesskey|jwt)"
)
_MIN_LENGTH = 4
HIDDEN = "[hidden]"


class SecretMask:
    """Masks the secrets of one upstream in a text."""

    def __init__(self, values: Iterable[str] = ()) -> None:
        parts = {part for value in values for part in (value, *value.split())}
        self.values = sorted((part for part in parts if len(part) >= _MIN_LENGTH), key=len, reverse=True)

    def __call__(self, text: str) -> str:
        for value in self.values:
            text = text.replace(value, HIDDEN)
        return text

    def __repr__(self) -> str:
        return f"SecretMask({len(self.values)})"


class References:
    """Resolves references against an environment and remembers the values. `placeholders` are left as they are."""

    def __init__(self, environ: Mapping[str, str], placeholders: Collection[str] = ()) -> None:
        self._environ = environ
        self._placeholders = placeholders
        self.found: list[str] = []

    def resolve(self, node: ConfigValue, text: str) -> str:
        """Raises ConfigError for a variable that is not set and has no default."""

        def replace(match: re.Match[str]) -> str:
            if match[0].startswith("$$"):
                return match[0][1:]
            inside = _INSIDE.fullmatch(match[1]) if match[0].endswith("}") else None
            if inside is None:
                raise node.error("holds a reference that is not ${NAME} or ${NAME:-default}; $${ stands for ${ itself")
            if inside[1] in self._placeholders:
                return f"${{{inside[1]}}}"
            value = self._environ.get(inside[1]) or inside[2]
            if value is None:
                raise node.error(f"refers to the environment variable {inside[1]}, which is not set or empty")
            self.found.append(value)
            return value

        resolved = _REFERENCE.sub(replace, text)
        if "\0" in resolved:
            raise node.error("must not contain the character NUL")
        return resolved


def has_reference(text: str) -> bool:
    return any(not match[0].startswith("$$") for match in _REFERENCE.finditer(text))


def is_literal(text: str) -> bool:
    """Whether the value is in the file itself: without a reference, or as the default of one."""
    references = [match for match in _REFERENCE.finditer(text) if not match[0].startswith("$$")]
    insides = [_INSIDE.fullmatch(match[1]) for match in references]
    return bool(text) and (not references or any(inside is not None and inside[2] for inside in insides))


def looks_secret(key: str) -> bool:
    """By its words: API_KEY and x-auth-token do, KEYBOARD does not."""
    return any(_SECRET.fullmatch(word) for word in _WORDS.findall(key))
