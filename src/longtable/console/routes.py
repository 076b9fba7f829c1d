"""The console's own pages: signing in, signing out, and a first look at the tables."""

from urllib.parse import parse_qs

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from longtable.app import App
from longtable.console import page
from longtable.identity.logins import LOGIN_LIFETIME, csrf_token
from longtable.identity.model import Credential
from longtable.identity.resolve import Claims, resolve_caller
from longtable.kernel.call import Call
from longtable.kernel.caller import Surface
from longtable.kernel.clock import SECOND
from longtable.kernel.errors import LongtableError
from longtable.rest.replies import headers_for
from longtable.sessions.service import SessionFilter

_MAX_FORM = 4_096
SAFE = {
    "Content-Security-Policy": "default-src 'none'; style-src 'self' 'unsafe-inline'; form-action 'self'; "
    "frame-ancestors 'none'; base-uri 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cache-Control": "no-store",
}


class Console:
    """`cookie_name` is set before the first request: it is a fact of the store."""

    open_paths = frozenset({"/", "/login", "/logout"})

    def __init__(self, app: App) -> None:
        self._app = app
        self.cookie_name = ""

    def routes(self) -> list[Route]:
        return [
            Route("/", self._home),
            Route("/login", self._log_in, methods=["GET", "POST"]),
            Route("/logout", self._log_out, methods=["POST"]),
        ]

    async def _home(self, request: Request) -> Response:
        cookie = request.cookies.get(self.cookie_name)
        credential = await self._app.logins.find(cookie) if cookie else None
        if credential is None or cookie is None:
            return _html(page.sign_in(self._app.auth != "off", None), 401)
        caller = resolve_caller(credential, Claims(Surface.CONSOLE))
        call = Call(caller, "list_sessions", "sessions_listed")
        sessions = await self._app.sessions.list(call, SessionFilter(None, 50, None))
        self._app.ledger.observe(call, "SUCCESS")
        address = str(request.base_url).rstrip("/")
        mcp = address + self._app.settings.http_path
        return _html(page.home(caller.agent, sessions.sessions, mcp, csrf_token(cookie)))

    async def _log_in(self, request: Request) -> Response:
        try:
            cookie = await self._new_login(request)
        except LongtableError as error:
            return _html(page.sign_in(self._app.auth != "off", error.message), error.status, headers_for(error))
        response = RedirectResponse("/", 303, SAFE)
        response.set_cookie(
            self.cookie_name,
            cookie,
            max_age=LOGIN_LIFETIME // SECOND,
            httponly=True,
            samesite="strict",
            secure=request.url.scheme == "https",
        )
        return response

    async def _new_login(self, request: Request) -> str:
        if request.method == "GET":
            # With auth on a link would make an owner of whoever can print one.
            link = request.query_params.get("link", "") if self._app.auth == "off" else ""
            return await self._app.logins.redeem(link)
        form = parse_qs((await request.body())[:_MAX_FORM].decode("utf-8", "replace"))
        secret = form.get("token", [""])[0]
        credential: Credential | None = await self._app.verifier.verify(secret) if secret else None
        return await self._app.logins.log_in(credential)

    async def _log_out(self, request: Request) -> Response:
        cookie = request.cookies.get(self.cookie_name)
        form = parse_qs((await request.body())[:_MAX_FORM].decode("utf-8", "replace"))
        if cookie and form.get("csrf", [""])[0] == csrf_token(cookie):
            await self._app.logins.log_out(cookie)
        response = RedirectResponse("/", 303, SAFE)
        response.delete_cookie(self.cookie_name)
        return response


def _html(text: str, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    return HTMLResponse(text, status, {**SAFE, **(headers or {})})
