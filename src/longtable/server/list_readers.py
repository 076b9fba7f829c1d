"""Who is shown which list of tools, and the lists that are encoded already."""

from collections.abc import Awaitable, Callable
from typing import Final

from longtable.connections.service import Connection
from longtable.kernel.caller import Caller, Role

ListReader = tuple[Role, bool]
"""Who is shown the same list: callers of a role, of agents those that are bound to a session and those that are not."""

LIST_READERS: Final[tuple[ListReader, ...]] = (*((role, False) for role in Role), (Role.AGENT, True))

EncodedLists = dict[tuple[ListReader, str], bytes]
"""The results of one list, by who reads it and the protocol version."""

FindEncoded = Callable[[Caller, Connection | None], Awaitable[EncodedLists]]
"""Those of a caller's list: the same object while the list is the same. Its client is about to be shown the list."""


def reader_of(caller: Caller) -> ListReader:
    return caller.role, caller.is_unbound_agent
