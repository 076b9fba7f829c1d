"""Kinds of the options for identity providers: addresses that nobody can listen in on, and what groups may do."""

import json
import re
from typing import Any, NamedTuple

from longtable.kernel.caller import Role
from longtable.settings.kinds import Kind

_PRIVATE = re.compile(r"https://[A-Za-z0-9._:\[\]-]+(/[^\s?#]*)?")
_ON_THIS_MACHINE = re.compile(r"http://(localhost|127(\.[0-9]{1,3}){3}|\[::1\])(:[0-9]{1,5})?(/[^\s?#]*)?")
EVERYONE = "*"


def is_private(address: str) -> bool:
    """Whether nobody can listen in: over https, or over http on this machine."""
    return bool(_PRIVATE.fullmatch(address) or _ON_THIS_MACHINE.fullmatch(address))


def is_on_this_machine(address: str) -> bool:
    return _ON_THIS_MACHINE.fullmatch(address) is not None


class PrivateUrl(Kind[str]):
    """As it is written: the name of an issuer is compared letter by letter."""

    allowed = "an https:// URL, or an http:// one on a loopback address, without user, query and fragment"

    def parse(self, raw: object) -> str:
        text = raw.strip() if isinstance(raw, str) else ""
        if not is_private(text):
            raise ValueError
        return text


class PublicUrl(PrivateUrl):
    def parse(self, raw: object) -> str:
        return super().parse(raw).rstrip("/")


class GroupRole(NamedTuple):
    """What the members of a group are, and of which tenant, where that is named. The group `*` has everyone."""

    group: str
    role: Role
    tenant: str | None = None


class GroupRoles(Kind[tuple[GroupRole, ...]]):
    """The text may be a JSON list too: names of groups may hold commas."""

    metavar = "GROUP=ROLE[@TENANT]"

    def __init__(self, *roles: Role) -> None:
        self._roles = {role.value: role for role in roles}
        *rest, last = self._roles
        names = f"{', '.join(rest)} or {last}"
        self.allowed = (
            f"a comma-separated list or a JSON list of group=role or group=role@tenant, where the role is {names}, "
            "and the group * stands for everyone"
        )

    def parse(self, raw: object) -> tuple[GroupRole, ...]:
        if isinstance(raw, str):
            raw = json.loads(raw) if raw.strip().startswith("[") else [part for part in raw.split(",") if part.strip()]
            if not raw:
                raise ValueError
        if not isinstance(raw, list):
            raise ValueError
        return tuple(self._entry(part) for part in raw)

    def _entry(self, part: object) -> GroupRole:
        group, _, rest = part.rpartition("=") if isinstance(part, str) else ("", "", "")
        role, at, tenant = rest.partition("@")
        known = self._roles.get(role.strip())
        if not group.strip() or known is None or (at and not tenant.strip()):
            raise ValueError
        return GroupRole(group.strip(), known, tenant.strip() or None)

    def dump(self, value: Any) -> Any:
        return [f"{one.group}={one.role}" + (f"@{one.tenant}" if one.tenant else "") for one in value]
