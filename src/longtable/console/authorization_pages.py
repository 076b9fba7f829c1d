"""The two pages at which a browser begins and ends the authorization of an upstream."""

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from longtable.app import App
from longtable.console import page
from longtable.console.headers import RENDERED
from longtable.gateway.authorizations import (
    CALLBACK_PATH,
    FLOW_LIFETIME,
    START_PATH,
    AuthorizationResponse,
    Authorizations,
)
from longtable.identity.resolve import Claims, resolve_caller
from longtable.kernel.caller import Caller, Surface
from longtable.kernel.clock import SECOND
from longtable.kernel.errors import InvalidArgument, LongtableError
from longtable.rest.replies import headers_for

_LONGEST_CODE = 4_096


class AuthorizationPages:
    """The cookie of a login is not sent when another site leads back here, so the browser gets one of its own for the
    time of the authorization."""

    open_paths = frozenset({START_PATH, CALLBACK_PATH})

    def __init__(self, app: App) -> None:
        self._app = app
        self.cookie_name = ""

    def routes(self) -> list[Route]:
        return [Route(START_PATH, self._start), Route(CALLBACK_PATH, self._callback)]

    @property
    def _authorizations(self) -> Authorizations:
        return self._app.slices.gateway.authorizations

    async def _start(self, request: Request) -> Response:
        redirect_uri = f"{request.url.scheme}://{request.url.netloc}{CALLBACK_PATH}"
        try:
            link = _parameter(request, "flow") or ""
            owner = await self._signed_in(request)
            address, browser = await self._authorizations.open(link, redirect_uri, owner)
        except LongtableError as error:
            return _failed(error)
        response = RedirectResponse(address, 303, {**RENDERED, "Referrer-Policy": "no-referrer"})
        response.set_cookie(
            self._flow_cookie,
            browser,
            max_age=FLOW_LIFETIME // SECOND,
            path=CALLBACK_PATH,
            httponly=True,
            samesite="lax",
            secure=request.url.scheme == "https",
        )
        return response

    async def _callback(self, request: Request) -> Response:
        try:
            upstream = await self._authorizations.finish(
                AuthorizationResponse(
                    state=_parameter(request, "state") or "",
                    browser=request.cookies.get(self._flow_cookie, ""),
                    code=_parameter(request, "code"),
                    error=_parameter(request, "error"),
                    issuer=_parameter(request, "iss"),
                )
            )
        except LongtableError as error:
            return _failed(error)
        response = HTMLResponse(page.connected(upstream), 200, RENDERED)
        response.delete_cookie(self._flow_cookie, path=CALLBACK_PATH)
        return response

    @property
    def _flow_cookie(self) -> str:
        return f"{self.cookie_name}_flow"

    async def _signed_in(self, request: Request) -> Caller | None:
        cookie = request.cookies.get(self.cookie_name)
        login = await self._app.logins.find(cookie) if cookie else None
        return None if login is None else resolve_caller(login.credential, Claims(Surface.CONSOLE))


def _parameter(request: Request, name: str) -> str | None:
    """Raises InvalidArgument for one that is given twice: which of them counted would be a guess."""
    values = request.query_params.getlist(name)
    if len(values) > 1 or any(len(value) > _LONGEST_CODE for value in values):
        raise InvalidArgument.at(name, "must be given once")
    return values[0] if values else None


def _failed(error: LongtableError) -> Response:
    return HTMLResponse(page.not_connected(error.message), error.status, {**RENDERED, **headers_for(error)})
