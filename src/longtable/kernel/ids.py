"""How things are named: ids that a person can read aloud, and secrets that nobody can guess."""

import hashlib
import re
import secrets

SESSION_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{2,63}")
SESSION_ID_FORM = "must have 3 to 64 letters, digits, '_' or '-', and begin with a letter or digit"


def new_session_id() -> str:
    return f"session_{secrets.token_hex(8)}"


def is_session_id(text: str) -> bool:
    return SESSION_ID.fullmatch(text) is not None


def numbered(prefix: str, number: int) -> str:
    return f"{prefix}{number}"


def number_of(prefix: str, text: str) -> int | None:
    """The 3 of `n3`; None when `text` is no id of that kind."""
    match = re.fullmatch(rf"{prefix}([1-9][0-9]{{0,17}})", text)
    return int(match[1]) if match else None


def likely_id(prefix: str, text: str) -> str:
    """For the end of an error: which id was most likely meant by `text`; nothing if it has no number."""
    number = re.search("[1-9][0-9]{0,17}", text[:100])
    return "" if number is None else f". Did you mean '{prefix}{number[0]}'?"


def new_secret(prefix: str) -> str:
    return f"{prefix}_{secrets.token_urlsafe(32)}"


def hash_secret(secret: str) -> str:
    """For secrets of full entropy only: they need no salt and no stretching."""
    return hashlib.sha256(secret.encode()).hexdigest()
