"""What the routes need of an admitted request."""

from dataclasses import replace
from typing import Protocol

from longtable.identity.resolve import check_session_id
from longtable.kernel.caller import Caller
from longtable.kernel.errors import SessionMismatch


class Admitted(Protocol):
    @property
    def caller(self) -> Caller: ...


def bind_to_session(caller: Caller, session_id: str) -> Caller:
    """A session in the path binds the request as a header would. Raises SessionMismatch or InvalidSessionId."""
    if caller.bound and caller.session_id != session_id:
        raise SessionMismatch("This caller is bound to another session.")
    return replace(caller, session_id=check_session_id(session_id), bound=True)
