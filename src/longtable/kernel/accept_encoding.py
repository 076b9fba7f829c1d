"""Whether a client accepts a compressed answer."""

from collections.abc import Iterable


def accepts_gzip(headers: Iterable[tuple[bytes, bytes]]) -> bool:
    """By RFC 9110: named, or by `*`, and with a weight that is not zero."""
    sent = b",".join(value for name, value in headers if name == b"accept-encoding").decode("latin-1")
    weights = {}
    for part in sent.split(","):
        coding, _, parameter = part.partition(";")
        weights[coding.strip().lower()] = _weight(parameter)
    return weights.get("gzip", weights.get("*", 0.0)) > 0


def _weight(parameter: str) -> float:
    name, _, value = parameter.partition("=")
    if name.strip().lower() != "q":
        return 1.0
    try:
        return float(value)
    except ValueError:
        return 0.0
