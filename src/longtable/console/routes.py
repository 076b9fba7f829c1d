"""The console's own pages: signing in, signing out, the built page and what it loads."""

import hmac
from pathlib import Path
from urllib.parse import parse_qs

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from longtable.app import App
from longtable.console import page
from longtable.console.addresses import OPENED, own_address
from longtable.console.headers import BUILT, RENDERED
from longtable.console.login_cookie import asked_before, forget_asked, remember_asked, set_login_cookie
from longtable.console.openid_pages import OpenIdPages
from longtable.console.shared_pages import SharedPages
from longtable.console.static import ICONS, STATIC, BuiltPage
from longtable.identity.logins import csrf_token
from longtable.identity.model import Credential
from longtable.identity.resolve import Claims, resolve_caller
from longtable.kernel.call import Call
from longtable.kernel.caller import Surface
from longtable.kernel.errors import Forbidden, LongtableError, NotFound, Unauthorized
from longtable.rest.replies import headers_for, refusal
from longtable.sessions.arguments import ListSessions
from longtable.sessions.tools import session_page

_MAX_FORM = 4_096


class Console:
    """`cookie_name` is set before the first request: it is a fact of the store."""

    open_paths = OpenIdPages.open_paths | {"/", "/login", "/logout", *(f"/{name}" for name in ICONS)}
    open_folders = frozenset({"/assets/", SharedPages.open_folder})
    """What lies directly in one of these is open as well."""

    def __init__(self, app: App, static: Path = STATIC) -> None:
        self._app = app
        self._built = BuiltPage(static)
        self._openid = OpenIdPages(app, app.openid) if app.openid is not None else None
        self._shared = SharedPages(app)
        self._cookie_name = ""

    @property
    def cookie_name(self) -> str:
        return self._cookie_name

    @cookie_name.setter
    def cookie_name(self, name: str) -> None:
        self._cookie_name = name
        if self._openid is not None:
            self._openid.cookie_name = name

    def routes(self) -> list[Route]:
        return [
            *(self._openid.routes() if self._openid is not None else ()),
            *self._shared.routes(),
            Route("/", self._home),
            Route("/", self._log_in, methods=["POST"]),
            Route("/assets/{name}", self._asset),
            *(Route(f"/{name}", self._icon) for name in ICONS),
            Route("/login", self._log_in, methods=["GET", "POST"]),
            Route("/logout", self._log_out, methods=["POST"]),
        ]

    async def _home(self, request: Request) -> Response:
        cookie = request.cookies.get(self.cookie_name)
        login = await self._app.logins.find(cookie) if cookie else None
        if login is None or cookie is None:
            if cookie is None and request.headers.get("sec-fetch-site") == "cross-site":
                return _html(page.opening())
            return self._sign_in(request)
        if self._built.exists:
            return HTMLResponse(self._built.index, 200, BUILT)
        return await self._rendered_home(request, login.credential, cookie)

    def _sign_in(self, request: Request) -> Response:
        asked = request.scope.get(OPENED, "/")
        response = _html(page.sign_in(self._choices(asked), None), 401)
        if self._app.auth == "off":
            remember_asked(request, response, self.cookie_name, asked)
        return response

    async def _rendered_home(self, request: Request, credential: Credential, cookie: str) -> Response:
        caller = resolve_caller(credential, Claims(Surface.CONSOLE))
        call = Call(caller, "list_sessions", "sessions_listed")
        sessions = await session_page(self._app.ledger, call, ListSessions())
        self._app.ledger.observe(call, "SUCCESS")
        settings = self._app.settings
        mcp = settings.resource or str(request.base_url).rstrip("/") + settings.http_path
        return _html(page.home(caller.agent, sessions.sessions, mcp, csrf_token(cookie)))

    async def _asset(self, request: Request) -> Response:
        return self._built.asset(request.path_params["name"], request.headers) or _nothing()

    async def _icon(self, request: Request) -> Response:
        return self._built.icon(request.url.path[1:], request.headers) or _nothing()

    async def _log_in(self, request: Request) -> Response:
        by_form = request.method == "POST"
        then = own_address(await _form_field(request, "then")) if by_form else asked_before(request, self.cookie_name)
        try:
            cookie = await self._new_login(request)
        except LongtableError as error:
            message = self._message_for(error, request.method)
            return _html(page.sign_in(self._choices(then), message), error.status, headers_for(error))
        response = RedirectResponse(then, 303, RENDERED)
        set_login_cookie(request, response, self.cookie_name, cookie)
        forget_asked(request, response, self.cookie_name)
        return response

    def _choices(self, then: str) -> page.SignInChoices:
        provider = None if self._openid is None else self._openid.provider
        return page.SignInChoices(self._app.auth != "off", provider, then=then)

    def _message_for(self, error: LongtableError, method: str) -> str | None:
        """The refusal for a person, who sends no headers."""
        if not isinstance(error, Unauthorized):
            return error.message
        if method == "POST":
            return page.WRONG_TOKEN
        return page.WRONG_LINK if self._app.auth == "off" else None

    async def _new_login(self, request: Request) -> str:
        if request.method == "GET":
            # With auth on, anyone with access to the terminal could make themselves an owner by a link.
            link = request.query_params.get("link", "") if self._app.auth == "off" else ""
            if not link:
                raise Unauthorized()
            return await self._app.logins.redeem(link)
        _check_own_origin(request)
        secret = await _form_field(request, "token")
        credential: Credential | None = await self._app.verifier.verify(secret) if secret else None
        if credential is None:
            raise self._app.logins.throttle.refusal(request.client.host if request.client else None, secret)
        return await self._app.logins.log_in(credential)

    async def _log_out(self, request: Request) -> Response:
        as_json = "application/json" in request.headers.get("accept", "")
        try:
            await self._end_login(request)
        except Unauthorized as error:
            if as_json:
                return refusal(error)
        except LongtableError as error:
            return refusal(error)
        response = JSONResponse({"ok": True}, headers=RENDERED) if as_json else RedirectResponse("/", 303, RENDERED)
        response.delete_cookie(self.cookie_name)
        return response

    async def _end_login(self, request: Request) -> None:
        """Raises Forbidden for what no page of ours sent, and Unauthorized where there is no login to end."""
        _check_own_origin(request)
        cookie = request.cookies.get(self.cookie_name)
        if not cookie:
            raise Unauthorized()
        sent = request.headers.get("x-csrf-token") or await _form_field(request, "csrf")
        if not hmac.compare_digest(sent.encode(), csrf_token(cookie).encode()):
            raise Forbidden("Signing out needs the CSRF token of the login.")
        await self._app.logins.log_out(cookie)


def _check_own_origin(request: Request) -> None:
    """The guard lets other ports of this machine call; but a page from there must not sign a user in or out."""
    origin = request.headers.get("origin")
    if origin is not None and origin != f"{request.url.scheme}://{request.headers.get('host')}":
        raise Forbidden("Only a page of this server may sign in or out.")


async def _form_field(request: Request, name: str) -> str:
    form = parse_qs((await request.body())[:_MAX_FORM].decode("utf-8", "replace"))
    return form.get(name, [""])[0]


def _html(text: str, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    return HTMLResponse(text, status, {**RENDERED, **(headers or {})})


def _nothing() -> Response:
    return refusal(NotFound("There is nothing at this path."))
