"""The way from an upstream to the client of the agent whose call is under way: log messages and questions."""

from collections.abc import Mapping
from typing import Any, Literal, Protocol

QuestionMethod = Literal["elicitation/create", "roots/list", "sampling/createMessage"]


class CannotAsk(Exception):
    """The client cannot be asked; the text is the reason for the upstream."""


class ClientChannel(Protocol):
    @property
    def log_level(self) -> str | None:
        """The lowest level of log messages that the client wants; None when it wants none."""

    async def log(self, upstream: str, message: Mapping[str, Any]) -> None:
        """Never raises, and does not wait for a client that does not read."""

    async def ask(self, upstream: str, method: QuestionMethod, params: Mapping[str, Any]) -> dict[str, Any]:
        """The result of the client, as the protocol has it. Raises CannotAsk."""
