"""How much of everything so many agents need: arithmetic with costs that the benchmark measures."""

from collections.abc import Callable
from dataclasses import dataclass

from benchmarks.table import markdown, number

AGENTS = (1_000, 100_000, 10_000_000)


@dataclass(frozen=True, slots=True)
class Cost:
    """Rounded from a row of the benchmark, which measures it anew."""

    value: float
    unit: str
    of: str
    row: str


CALL = Cost(0.7, "ms CPU", "a call on the embedded store", "http: 50 clients, mixed")
WRITE = Cost(1.0, "ms CPU", "a write on PostgreSQL, for server and database", "postgres: 16 clients, add_note")
READ = Cost(1.2, "ms CPU", "a page of 50 notes on PostgreSQL, for both", "postgres: 16 clients, read_notes")
DELIVERY = Cost(0.08, "ms CPU", "a listener that is told of an event", "delivery: between two processes")
NOTE = Cost(1_200, "bytes", "a note of 184 bytes on disk, with all that belongs to it", "growth")
VECTOR = Cost(64, "bytes", "a vector in memory", "vectors")
WAIT = Cost(21_000, "bytes", "an agent that waits, in memory", "waiting: memory of each")


@dataclass(frozen=True, slots=True)
class Habits:
    """What agents do, on average: assumed."""

    seconds_between_calls: float = 10.0
    share_of_writes: float = 1 / 3
    at_a_table: int = 8
    in_a_tenant: int = 100
    hours_a_day: float = 8.0
    days_kept: int = 30

    def calls_per_second(self, agents: float) -> float:
        return agents / self.seconds_between_calls

    def writes_per_second(self, agents: float) -> float:
        return self.calls_per_second(agents) * self.share_of_writes

    def writes_kept(self, agents: float) -> float:
        return self.writes_per_second(agents) * self.hours_a_day * 3_600 * self.days_kept


HABITS = Habits()
BUSY = 0.6
"""The share of a core that may be in use: what is left keeps delays short."""

DATABASE_SHARE = 1 / 3
"""Of the processor time of a call on PostgreSQL, what the database itself uses: assumed."""

CONNECTIONS = 100
"""`max_connections` of a PostgreSQL as it comes."""

CONNECTIONS_A_PROCESS = 8
"""`postgres_pool`, with the one that listens."""

DATABASE_CORES = 32
MEMORY = 16e9
"""Of a large machine for the one, and of a usual one for the other."""

NOTIFICATIONS_A_SECOND = 100
NOTIFICATION_MS = 0.05
"""That a process sends at most, and what one costs each of the others: assumed."""


def call_ms() -> float:
    """Of server and database together, for a call as agents make them."""
    writes = HABITS.share_of_writes
    return writes * WRITE.value + (1 - writes) * READ.value


def server_cores(agents: float) -> float:
    calls = HABITS.calls_per_second(agents) * call_ms() * (1 - DATABASE_SHARE)
    deliveries = HABITS.writes_per_second(agents) * (HABITS.at_a_table - 1) * DELIVERY.value
    return (calls + deliveries) / 1_000 / BUSY


def database_cores(agents: float) -> float:
    return HABITS.calls_per_second(agents) * call_ms() * DATABASE_SHARE / 1_000 / BUSY


def costs() -> str:
    rows = [
        [cost.of, f"{number(cost.value)} {cost.unit}", cost.row]
        for cost in (CALL, WRITE, READ, DELIVERY, NOTE, VECTOR, WAIT)
    ]
    return markdown(["what", "costs", "row of the benchmark"], rows)


def sizes() -> str:
    """What so many agents need, in all."""
    columns: dict[str, Callable[[float], float]] = {
        "tenants": lambda agents: agents / HABITS.in_a_tenant,
        "calls/s": HABITS.calls_per_second,
        "writes/s": HABITS.writes_per_second,
        "deliveries/s": lambda agents: HABITS.writes_per_second(agents) * (HABITS.at_a_table - 1),
        "cores for servers": server_cores,
        "cores for PostgreSQL": database_cores,
        "GB on disk a day": lambda agents: HABITS.writes_kept(agents) / HABITS.days_kept * NOTE.value / 1e9,
        "GB of vectors, 30 days": lambda agents: HABITS.writes_kept(agents) * VECTOR.value / 1e9,
        "GB if all wait": lambda agents: agents * WAIT.value / 1e9,
    }
    rows = [[name, *(number(of(agents)) for agents in AGENTS)] for name, of in columns.items()]
    return markdown(["agents", *(f"{agents:,}" for agents in AGENTS)], rows)


def tight_spots() -> str:
    """Where each thing ends, in agents, the first to end first."""
    one_core = 1 / server_cores(1)
    spots = {
        "one process of a server: one core": one_core,
        f"memory of a process, {MEMORY / 1e9:.0f} GB, all agents waiting": MEMORY / WAIT.value,
        f"connections: {CONNECTIONS} of PostgreSQL, {CONNECTIONS_A_PROCESS} a process": (
            CONNECTIONS // CONNECTIONS_A_PROCESS * one_core
        ),
        "NOTIFY: a tenth of a core in each process": (0.1 * 1_000 / NOTIFICATION_MS / NOTIFICATIONS_A_SECOND + 1)
        * one_core,
        f"vectors of {HABITS.days_kept} days in {MEMORY / 1e9:.0f} GB": MEMORY / VECTOR.value / HABITS.writes_kept(1),
        f"one PostgreSQL with {DATABASE_CORES} cores": DATABASE_CORES / database_cores(1),
    }
    rows = [[name, number(float(f"{agents:.2g}"))] for name, agents in sorted(spots.items(), key=lambda spot: spot[1])]
    return markdown(["what ends", "at so many agents"], rows)
