"""The tools to read the log with: their arguments, their words for the model, their routes."""

from typing import Annotated, Any

from pydantic import Field

from longtable.activity.model import ActivityPage, EventList
from longtable.activity.service import Activity, EventQuery
from longtable.identity.model import EVERYONE, OVERSEERS
from longtable.kernel.call import Call
from longtable.log.kinds import KindFilter
from longtable.toolkit.durations import BRIEF_FORMS, Seconds
from longtable.toolkit.tool import MAX_ITEMS, Arguments, Route, Tool


class ReadEvents(Arguments):
    after: int = Field(
        default=0, ge=0, le=2**62, description="next_after of the call before; 0 begins with the first event."
    )
    kinds: list[str] | None = Field(
        default=None, max_length=MAX_ITEMS, description="Only these kinds, such as scratchpad/*."
    )
    limit: int = Field(default=100, ge=1, le=1000)
    wait_seconds: Annotated[float, Seconds(0, 50, parts=True)] = Field(
        default=0, description=f"How long to wait when there is nothing yet: {BRIEF_FORMS}; at most 50."
    )


class ListActivity(Arguments):
    limit: int = Field(default=100, ge=1, le=500)
    before: int | None = Field(
        default=None, ge=1, le=2**62, description="next_before of the page before; without it, the newest."
    )


class ActivityTools:
    def __init__(self, activity: Activity) -> None:
        self._activity = activity

    async def read(self, call: Call, arguments: ReadEvents) -> EventList:
        kinds = KindFilter.parse("kinds", arguments.kinds)
        wanted = EventQuery(arguments.after, kinds, arguments.limit, arguments.wait_seconds)
        return await self._activity.read(call, wanted)

    async def look_back(self, call: Call, arguments: ListActivity) -> ActivityPage:
        return await self._activity.look_back(call, arguments.before, arguments.limit)


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
        ),
        Tool(
            name="list_activity",
            title="Look back at what happened",
            description="List a session's events, the newest first.",
            arguments=ListActivity,
            result=ActivityPage,
            run=tools.look_back,
            group="workspace",
            roles=OVERSEERS,
            audited_as="events_read",
            over_mcp=False,
            routes=(Route("GET", "/sessions/{session_id}/activity"),),
        ),
    ]
