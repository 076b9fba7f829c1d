"""What every slice stands on."""

from dataclasses import dataclass

from longtable.log.ledger import Ledger
from longtable.log.waits import Waits
from longtable.sessions.gate import Gate
from longtable.sessions.service import Sessions
from longtable.settings.options import Settings


@dataclass(frozen=True, slots=True)
class Parts:
    settings: Settings
    ledger: Ledger
    waits: Waits
    sessions: Sessions
    gate: Gate
