"""Serves the page behind a shared link to whoever has the link."""

from collections import OrderedDict, deque
from typing import Final

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from longtable.app import App
from longtable.console import shared_page
from longtable.console.headers import SAFE
from longtable.identity.throttle import network_of
from longtable.kernel.clock import MINUTE, SECOND, Clock
from longtable.kernel.errors import RateLimited
from longtable.rest.replies import refusal
from longtable.sharing.model import PATH
from longtable.sharing.service import open_link

MAX_OPENINGS: Final = 120
"""By one address in a minute."""
_MAX_ADDRESSES: Final = 10_000
_MAX_SECRET: Final = 200

HEADERS: Final = {
    **SAFE,
    "Content-Security-Policy": f"default-src 'none'; style-src '{shared_page.STYLE_HASH}'; form-action 'none'; "
    "frame-ancestors 'none'; base-uri 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Robots-Tag": "noindex, nofollow, noarchive",
}


class SharedPages:
    open_folder = PATH

    def __init__(self, app: App) -> None:
        self._app = app
        self._limit = _OpeningLimit(app.clock)

    def routes(self) -> list[Route]:
        return [Route(f"{PATH}{{secret}}", self._open)]

    async def _open(self, request: Request) -> Response:
        wait = self._limit.wait(request.client.host if request.client else None)
        if wait:
            return refusal(RateLimited("Too many openings.", hint=f"Try again in {wait} seconds.", retry_after=wait))
        secret: str = request.path_params["secret"]
        opened = await open_link(self._app.ledger, secret) if len(secret) <= _MAX_SECRET else None
        if opened is None:
            return HTMLResponse(shared_page.NOT_FOUND, 404, HEADERS)
        return HTMLResponse(shared_page.shared(*opened), 200, HEADERS)


class _OpeningLimit:
    """Counts the openings of each address in the last minute, of right and wrong links alike."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._openings: OrderedDict[str, deque[int]] = OrderedDict()

    def wait(self, address: str | None) -> int:
        """Counts one more; or the seconds until it may be one more."""
        key, now = network_of(address), self._clock()
        openings = self._openings.setdefault(key, deque(maxlen=MAX_OPENINGS))
        self._openings.move_to_end(key)
        if len(openings) == MAX_OPENINGS and openings[0] + MINUTE > now:
            return (openings[0] + MINUTE - now) // SECOND + 1
        openings.append(now)
        if len(self._openings) > _MAX_ADDRESSES:
            self._openings.popitem(last=False)
        return 0
