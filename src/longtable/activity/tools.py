"""The tool to read the log with: its arguments and its words for the model."""

from typing import Any

from pydantic import Field

from longtable.activity.model import EventList
from longtable.activity.service import Activity, EventQuery
from longtable.identity.model import EVERYONE
from longtable.kernel.call import Call
from longtable.log.kinds import KindFilter
from longtable.toolkit.tool import Arguments, Tool


class ReadEvents(Arguments):
    after: int = Field(
        default=0, ge=0, le=2**62, description="next_after of the call before; 0 begins with the first event."
    )
    kinds: list[str] | None = Field(default=None, description="Only these kinds, such as scratchpad/*.")
    limit: int = Field(default=100, ge=1, le=1000)
    wait_seconds: float = Field(default=0, ge=0, le=50, description="Wait this long when there is nothing yet.")


class ActivityTools:
    def __init__(self, activity: Activity) -> None:
        self._activity = activity

    async def read(self, call: Call, arguments: ReadEvents) -> EventList:
        kinds = KindFilter.parse("kinds", arguments.kinds)
        wanted = EventQuery(arguments.after, kinds, arguments.limit, arguments.wait_seconds)
        return await self._activity.read(call, wanted)


def activity_tools(tools: ActivityTools) -> list[Tool[Any]]:
    return [
        Tool(
            name="read_events",
            title="Read events",
            description="Catch up on everything that happened in the session since a number, or wait for the next.",
            arguments=ReadEvents,
            result=EventList,
            run=tools.read,
            group="workspace",
            roles=EVERYONE,
            audited_as="events_read",
        )
    ]
