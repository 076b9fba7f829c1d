"""What an entry of a program may say of the tenant or session whose instance it is, as `${LONGTABLE_TENANT}`."""

from collections.abc import Mapping
from typing import Final

TENANT: Final = "LONGTABLE_TENANT"
SESSION: Final = "LONGTABLE_SESSION"
INSTANCE_DIR: Final = "LONGTABLE_INSTANCE_DIR"


def placeholders_of(scope: str) -> tuple[str, ...]:
    """The placeholders that an entry with this scope may use."""
    if scope == "shared":
        return ()
    return (INSTANCE_DIR, TENANT) if scope == "tenant" else (INSTANCE_DIR, TENANT, SESSION)


def fill(text: str, values: Mapping[str, str]) -> str:
    for name, value in values.items():
        text = text.replace(f"${{{name}}}", value)
    return text
