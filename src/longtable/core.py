"""What every process has from its start: the store, the log, who calls, sessions. The slices are built from it."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from longtable.connections.service import Connections
from longtable.holds.service import Holds
from longtable.identity.agent_names import AgentNames
from longtable.identity.logins import Logins
from longtable.identity.model import Credential
from longtable.identity.tokens import Tokens
from longtable.kernel.background import BackgroundTasks
from longtable.kernel.call_limits import CallLimits
from longtable.kernel.clock import Clock
from longtable.kernel.refusals import Refusals
from longtable.log.feed import Feed
from longtable.log.ledger import Ledger, LogHooks
from longtable.log.limit_sharing import LimitSharing
from longtable.log.waits import Waits
from longtable.log.wakeups import Wakeups
from longtable.sessions.resolver import SessionResolver
from longtable.sessions.service import Sessions
from longtable.settings.options import AuthMode, Settings
from longtable.storage.database import Database

if TYPE_CHECKING:
    from longtable.gateway.call_dependencies import Meter
    from longtable.identity.openid import OpenIdSignIn
    from longtable.upstreams.config import GatewayFile
    from longtable.upstreams.port import UpstreamHost


class Verifier(Protocol):
    async def verify(self, secret: str) -> Credential | None: ...


@dataclass(kw_only=True, eq=False)
class Core:
    """`auth` is the mode in force: the option, or what the store remembers. `gateway_file` is None where no other tools
    are to be reached, and `upstream_host` where this process runs their programs itself. `index_turn` waits until
    this process may do what one worker does for all: embed what was written, and most periodic jobs. `serves` is false
    for a command that ends with its work. `server_runs`, of a process for one client, tells whether there is a server
    on the same data folder, which then does what is done once for all."""

    settings: Settings
    auth: AuthMode
    ledger: Ledger
    hooks: LogHooks
    tokens: Tokens
    verifier: Verifier
    logins: Logins
    names: AgentNames
    sessions: Sessions
    holds: Holds
    session_resolver: SessionResolver
    limits: CallLimits
    waits: Waits
    feed: Feed
    connections: Connections
    refusals: Refusals
    limit_sharing: LimitSharing
    gateway_file: "GatewayFile | None" = None
    upstream_host: "UpstreamHost | None" = None
    openid: "OpenIdSignIn | None" = None
    """Where people sign in, if that is not here."""
    index_turn: Callable[[], Awaitable[None]] | None = None
    server_runs: Callable[[], bool] | None = None
    gateway_meter: "Meter | None" = None
    serves: bool = False
    address: str | None = None
    """Where this process listens, once it does."""

    @property
    def database(self) -> Database:
        return self.ledger.database

    @property
    def clock(self) -> Clock:
        return self.ledger.clock

    @property
    def background(self) -> BackgroundTasks:
        return self.ledger.background

    @property
    def wakeups(self) -> Wakeups:
        return self.hooks.wakeups
