"""The tools with which people see and take back what is held."""

from functools import partial

from longtable.holds import store
from longtable.holds.arguments import ListHolds, UndoHold
from longtable.holds.model import HoldList, HoldUndone
from longtable.kernel.call import Call
from longtable.kernel.caller import Role
from longtable.kernel.errors import NotFound
from longtable.log.ledger import Ledger, Work
from longtable.toolkit.tool import Route, Scope, tool

_PEOPLE = frozenset({Role.HUMAN, Role.OWNER})
_hold_tool = partial(tool, group="workspace", roles=_PEOPLE, scope=Scope.TENANT, over_mcp=False)


class HoldTools:
    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    @_hold_tool(
        "list_holds",
        title="List what can be undone",
        description="List what people have said and can still take back.",
        audited_as="holds_listed",
        routes=(Route("GET", "/holds"),),
    )
    async def list_all(self, call: Call, arguments: ListHolds) -> HoldList:
        found = await self._ledger.read(call.caller, store.listed)
        return HoldList(holds=[hold.view() for hold in found], count=len(found))

    @_hold_tool(
        "undo_hold",
        title="Take back what was said",
        description="Take back an answer or a decision while it is held: it reaches nobody.",
        audited_as="hold_undone",
        writes=True,
        destructive=True,
        routes=(Route("DELETE", "/holds/{hold_id}"),),
    )
    async def undo(self, call: Call, arguments: UndoHold) -> HoldUndone:
        async def body(work: Work) -> HoldUndone:
            hold = await store.undo(work.tx, arguments.hold_id, work.now)
            if hold is None:
                raise NotFound("hold_id: this is not held any more.", hint="It has been done, or was undone before.")
            work.touched(f"hold:{hold.hold_id}", operation=hold.operation)
            return HoldUndone(hold=hold.view())

        return await self._ledger.write(call, HoldUndone, body)
