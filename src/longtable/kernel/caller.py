"""Who is calling: resolved once at the edge, immutable, handed down explicitly."""

from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import lru_cache

DEFAULT_TENANT = "default"


class Role(StrEnum):
    AGENT = "agent"
    ORCHESTRATOR = "orchestrator"
    HUMAN = "human"
    OWNER = "owner"
    READER = "reader"
    LOCAL = "local"


class Surface(StrEnum):
    STDIO = "stdio"
    HTTP = "http"
    SSE = "sse"
    REST = "rest"
    CONSOLE = "console"
    CLI = "cli"


SPEAKS_FOR_AGENTS = frozenset({Role.ORCHESTRATOR, Role.LOCAL})
_HUMAN_SURFACES = frozenset({Surface.CONSOLE, Surface.REST, Surface.CLI})
_MCP_SURFACES = frozenset({Surface.STDIO, Surface.HTTP, Surface.SSE})
_HUMAN_ROLES = frozenset({Role.HUMAN, Role.OWNER})


@dataclass(frozen=True, slots=True)
class Caller:
    """`session_id` is the session this request acts in; `bound` says that token, header or environment fixed it.
    `speaks_for_another` says that the credential has another name than the agent it gives."""

    tenant: str
    role: Role
    agent: str
    agent_type: str
    surface: Surface
    session_id: str | None = None
    bound: bool = False
    credential: str = ""
    """Tells one credential from all others; empty while auth is off."""
    speaks_for_another: bool = False
    has_made_up_name: bool = False
    """Whether nobody has named it: its name tells its connection from others."""
    is_human: bool = field(init=False, compare=False, repr=False)
    """A person at a human surface. The same credential over MCP counts as an agent."""
    is_over_mcp: bool = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "is_human", self.role in _HUMAN_ROLES and self.surface in _HUMAN_SURFACES)
        object.__setattr__(self, "is_over_mcp", self.surface in _MCP_SURFACES)

    @property
    def is_unbound_agent(self) -> bool:
        """An agent that finds its session by itself; most are held in one."""
        return self.role is Role.AGENT and not self.bound

    @property
    def session(self) -> str:
        """The session of a call that cannot run without one."""
        if self.session_id is None:
            raise RuntimeError("a session-scoped operation was run without a session")
        return self.session_id

    @property
    def name_advice(self) -> str | None:
        """How to choose a name; None for a caller that has one."""
        if not self.has_made_up_name:
            return None
        way = "set LONGTABLE_AGENT" if self.surface is Surface.STDIO else "connect with ?agent=NAME or X-Caller-Agent"
        return f"You are {self.agent}; to choose a name, {way}."

    def inside(self, session_id: str) -> "Caller":
        return self if session_id == self.session_id else _inside(self, session_id)


@lru_cache(maxsize=4096)
def _inside(caller: Caller, session_id: str) -> Caller:
    """Cached: a caller that names no session is placed in the same one again with every call."""
    return replace(caller, session_id=session_id)


def operator(tenant: str) -> Caller:
    """Whoever runs the server: for what a start or a command does to the store itself."""
    return Caller(tenant, Role.OWNER, "operator", "generic", Surface.CLI)
