"""Scopes of access tokens: what a person lets a program do. Each includes those before it; none makes a person."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from longtable.identity.model import Credential
from longtable.kernel.caller import Role
from longtable.kernel.errors import Forbidden
from longtable.settings.sign_in_options import ScopeName

SOFTWARE_ROLES = (Role.READER, Role.AGENT, Role.ORCHESTRATOR)
"""The roles that an access token can have, from the weakest. Whoever holds one may have got it from a person, but a
person is who has signed in."""

_NAMES: tuple[ScopeName, ...] = ("read", "work", "conduct")


class InsufficientScope(Forbidden):
    """The token lets its bearer do less than this; another one, with `scopes`, would do."""

    def __init__(self, tool: str, scopes: Iterable[str]) -> None:
        self.scopes = tuple(scopes)
        super().__init__(f"{tool} needs the scope {self.scopes[-1]}.", scopes=list(self.scopes))


@dataclass(frozen=True, slots=True)
class Scopes:
    prefix: str

    @property
    def all(self) -> tuple[str, ...]:
        return tuple(self.prefix + name for name in _NAMES)

    def up_to(self, name: ScopeName) -> tuple[str, ...]:
        """This one and those that it includes: providers do not know that it does."""
        return self.all[: _NAMES.index(name) + 1]

    def role_of(self, granted: Collection[str]) -> Role | None:
        """The role of the strongest scope; None where there is none of ours. Some providers name a scope by an address
        when it is asked for, and by the end of that in the token."""
        held = [
            role
            for scope, role in zip(self.all, SOFTWARE_ROLES, strict=True)
            if scope in granted or scope.rpartition("/")[2] in granted
        ]
        return held[-1] if held else None

    def require(self, credential: Credential, tool: str, roles: Collection[Role]) -> None:
        """Raises InsufficientScope if a stronger scope would let this bearer use the tool of these roles."""
        ceiling = credential.scope_ceiling
        if ceiling is None or credential.role in roles:
            return
        held, most = SOFTWARE_ROLES.index(credential.role), SOFTWARE_ROLES.index(ceiling)
        for strength in range(held + 1, most + 1):
            if SOFTWARE_ROLES[strength] in roles:
                raise InsufficientScope(tool, self.all[: strength + 1])


def weaker(one: Role, other: Role) -> Role:
    return min(one, other, key=SOFTWARE_ROLES.index)
