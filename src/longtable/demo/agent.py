"""A client for the table and for the tools of the office."""

from typing import Any

from longtable.client import Workspace
from longtable.demo.prepare import LOOK_UP, SEND, UPSTREAM
from longtable_client.records import Record

_PREFIX = "mindscape"
FREE = f"{_PREFIX}_tool_{UPSTREAM}_{LOOK_UP}"
GOVERNED = f"{_PREFIX}_run_{UPSTREAM}_{SEND}"


class OfficeResult(Record):
    """A result of the office, in our own envelope."""

    said: str


class DemoAgent(Workspace):
    async def look_up_price(self, item: str, context: dict[str, str]) -> OfficeResult:
        return await self._read(FREE, OfficeResult, _call({"item": item}, context))

    async def send_summary(
        self, inputs: dict[str, str], context: dict[str, str], confirm_token: str | None = None
    ) -> OfficeResult:
        """Raises ConfirmationRequired until a person has allowed exactly these inputs."""
        return await self._write(GOVERNED, OfficeResult, _call(inputs, context), confirm_token=confirm_token)


def _call(inputs: dict[str, str], context: dict[str, str]) -> dict[str, Any]:
    return {"inputs": inputs, "_context": context}
