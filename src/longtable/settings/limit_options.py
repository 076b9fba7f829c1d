"""The options that say how much one session, credential or tenant may have or ask for."""

from dataclasses import dataclass

from longtable.settings.declare import option
from longtable.settings.kinds import Number

MANY = 1_000_000_000


@dataclass(frozen=True, init=False, repr=False, eq=False)
class LimitOptions:
    """Limits"""

    max_notes: int = option(Number(1, MANY), 10_000, "Notes in one session.")
    max_note_bytes: int = option(Number(1, MANY), 65_536, "Size of one note, in bytes.")
    max_sections: int = option(Number(1, MANY), 500, "Sections of one session's draft.")
    max_section_bytes: int = option(Number(1, MANY), 1_048_576, "Size of one section, in bytes.")
    max_tasks: int = option(Number(1, MANY), 5_000, "Tasks in one session's plan.")
    max_questions: int = option(Number(1, MANY), 1_000, "Questions in one session.")
    max_messages: int = option(Number(1, MANY), 100_000, "Messages in one session.")
    max_memory: int = option(Number(1, MANY), 100_000, "Memory entries of one tenant.")
    max_sessions: int = option(Number(1, MANY), 10_000, "Sessions of one tenant.")
    max_subscriptions: int = option(
        Number(0, MANY),
        10,
        "Subscriptions of one credential, with auth off of one agent, to one session's events; 0 for any number.",
    )
    max_connections: int = option(
        Number(1, MANY), 1_000, "Connections of one credential over streamable HTTP; the one unused for longest ends."
    )
    max_waits: int = option(Number(0, MANY), 1_000, "Calls of one tenant that wait at the same time; 0 for any number.")
    max_calls_in_flight: int = option(
        Number(0, MANY),
        64,
        "Calls of one credential that are under way, besides those that wait; 0 for any number.",
    )
    max_calls_in_flight_tenant: int = option(
        Number(0, MANY), 256, "The same for all credentials of one tenant together; 0 for any number."
    )
    call_rate: int | None = option(
        Number(0, MANY),
        None,
        "Calls of one credential in a second; twice as many may be saved up. 0 for any number.",
        default_text="1000 when auth is on; else 0",
    )
    large_request_share: int = option(
        Number(0, 100),
        5,
        "Percent of a process's time that one tenant gets for requests of 16 KiB and more, while other credentials "
        "call; 0 for any.",
    )
    max_tenant_bytes: int = option(
        Number(0, 10**15), 10_737_418_240, "Bytes that one tenant may store; 0 for any number."
    )
