"""What every slice stands on."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from longtable.identity.tokens import Tokens
from longtable.log.ledger import Ledger
from longtable.log.waits import Waits
from longtable.sessions.gate import Gate
from longtable.sessions.service import Sessions
from longtable.settings.options import AuthMode, Settings

if TYPE_CHECKING:
    from longtable.upstreams.config import GatewayFile
    from longtable.upstreams.port import UpstreamHost


@dataclass(frozen=True, slots=True)
class Parts:
    """`auth` is the mode in force; `gateway_file` is None where no other tools are to be reached, and
    `upstream_host` where this process runs their programs itself."""

    settings: Settings
    ledger: Ledger
    waits: Waits
    sessions: Sessions
    gate: Gate
    auth: AuthMode
    tokens: Tokens
    gateway_file: "GatewayFile | None" = None
    upstream_host: "UpstreamHost | None" = None
