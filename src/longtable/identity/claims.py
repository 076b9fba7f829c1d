"""Reads the claims of a token, which ordinary providers name and nest as they like."""

from collections.abc import Mapping, Sequence
from typing import Any

from longtable.settings.sign_in_kinds import EVERYONE, GroupRole

Json = Mapping[str, Any]


def claim_at(claims: Json, path: str) -> Any:
    """The claim of this name; if there is none, the one that its dots lead to, as in `realm_access.roles`."""
    if path in claims:
        return claims[path]
    found: Any = claims
    for name in path.split("."):
        found = found.get(name) if isinstance(found, Mapping) else None
    return found


def first_claim(claims: Json, *names: str) -> str | None:
    """The first of these claims that is a text."""
    return next((claims[name] for name in names if isinstance(claims.get(name), str) and claims[name]), None)


def texts_of(claim: Any) -> list[str] | None:
    """One text or a list of them; None for anything else."""
    listed = [claim] if isinstance(claim, str) else claim
    if not isinstance(listed, list) or not all(isinstance(one, str) for one in listed):
        return None
    return listed


def words_of(claim: Any) -> list[str]:
    """The words of a text or of a list of them, as providers write scopes; none for anything else."""
    return [word for text in texts_of(claim) or [] for word in text.split()]


def group_role(entries: Sequence[GroupRole], groups: Any) -> GroupRole | None:
    """The first entry whose group is among these. Role and tenant come from one entry: to be an owner in one tenant
    makes nobody an owner in another."""
    named = texts_of(groups) or []
    return next((entry for entry in entries if entry.group == EVERYONE or entry.group in named), None)
