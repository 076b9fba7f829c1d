"""The options for calling people: when an agent counts as silent, and the mail server for notices."""

# ruff: noqa: RUF009  (`option` returns a dataclass field: it is called once, as it should be)

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from longtable.kernel.clock import MINUTE
from longtable.settings.declare import Sources, option
from longtable.settings.kinds import Choice, Duration, FilePath, Host, MatchingText, Number, Secret, Text

MailSecurity = Literal["starttls", "tls", "none"]


@dataclass(frozen=True, init=False, repr=False, eq=False)
class NoticeOptions:
    """Notices"""

    notifiers_file: Path | None = option(
        FilePath(), None, "JSON file with notifiers, besides those that owners add. Read again when it changes."
    )
    agent_silent_after: int = option(
        Duration("m", MINUTE),
        15 * MINUTE,
        "People can be called about an agent that has a task in progress and did nothing for this long.",
    )
    smtp_host: str | None = option(Host(), None, "Mail server for notices by e-mail.")
    smtp_port: int = option(Number(1, 65_535), 587, "Its port.")
    smtp_security: MailSecurity = option(
        Choice[MailSecurity](get_args(MailSecurity)), "starttls", "How the connection to it is encrypted."
    )
    smtp_user: str | None = option(Text(), None, "User name there; without one nobody signs in.")
    smtp_password: str | None = option(Secret(), None, "Password there.", sources=Sources(flag=None))
    smtp_from: str | None = option(
        MatchingText("an e-mail address", r"[^\s@<>,;]+@[A-Za-z0-9.-]+"),
        None,
        "Address that notices come from.",
        default_text="longtable@ and smtp_host",
    )
