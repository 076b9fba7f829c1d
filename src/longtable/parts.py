"""What every slice stands on."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from longtable.identity.tokens import Tokens
from longtable.log.ledger import Ledger
from longtable.log.waits import Waits
from longtable.sessions.gate import Gate
from longtable.sessions.service import Sessions
from longtable.settings.options import AuthMode, Settings

if TYPE_CHECKING:
    from longtable.upstreams.config import GatewayFile


@dataclass(frozen=True, slots=True)
class Parts:
    """`auth` is the mode in force; `gateway_file` is None where no other tools are to be reached, and `lender` where
    this process runs them itself."""

    settings: Settings
    ledger: Ledger
    waits: Waits
    sessions: Sessions
    gate: Gate
    auth: AuthMode
    tokens: Tokens
    gateway_file: "GatewayFile | None" = None
    lender: Path | None = None
