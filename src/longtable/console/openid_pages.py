"""The two pages at which a person leaves for the identity provider and comes back."""

from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from longtable.app import App
from longtable.console import page
from longtable.console.addresses import own_address
from longtable.console.headers import RENDERED
from longtable.console.login_cookie import set_login_cookie
from longtable.identity.model import Credential
from longtable.identity.resolve import Claims, resolve_caller
from longtable.kernel.call import Call
from longtable.kernel.caller import Caller, Role, Surface
from longtable.kernel.clock import MINUTE, SECOND
from longtable.kernel.errors import LongtableError, RateLimited, Unauthorized
from longtable.rest.replies import headers_for

if TYPE_CHECKING:
    from longtable.identity.openid import OpenIdSignIn, ProviderAnswer

START = "/login/oidc"
CALLBACK = "/login/oidc/callback"
_LONGEST = 4_096
_FLOW_LIFETIME = 10 * MINUTE


class OpenIdPages:
    """The cookie of a login is not sent when another site leads back here, so the browser gets one of its own for the
    time of the sign-in. `cookie_name` is set before the first request."""

    open_paths = frozenset({START, CALLBACK})

    def __init__(self, app: App, sign_in: "OpenIdSignIn") -> None:
        self._app = app
        self._sign_in = sign_in
        self.cookie_name = ""

    def routes(self) -> list[Route]:
        return [Route(START, self._start), Route(CALLBACK, self._callback)]

    @property
    def provider(self) -> str:
        return self._sign_in.provider

    async def _start(self, request: Request) -> Response:
        try:
            address, flow = await self._sign_in.begin(self._redirect_uri(request))
        except LongtableError as error:
            return self._failed(error)
        response = RedirectResponse(address, 303, {**RENDERED, "Referrer-Policy": "no-referrer"})
        then = own_address(request.query_params.get("then", "/"))
        for name, value in ((self._flow_cookie, flow), (self._then_cookie, quote(then))):
            response.set_cookie(
                name,
                value,
                max_age=_FLOW_LIFETIME // SECOND,
                path=START,
                httponly=True,
                samesite="lax",
                secure=request.url.scheme == "https",
            )
        return response

    async def _callback(self, request: Request) -> Response:
        try:
            person = await self._person(request)
            cookie = await self._app.logins.log_in(person)
        except LongtableError as error:
            response = self._failed(self._counted(request, error))
        else:
            self._observe(resolve_caller(person, Claims(Surface.CONSOLE)), "SUCCESS")
            # No redirect: a browser does not send a strict cookie on the way from another site.
            then = own_address(unquote(request.cookies.get(self._then_cookie, "/")))
            response = HTMLResponse(page.signed_in(then), 200, RENDERED)
            set_login_cookie(request, response, self.cookie_name, cookie)
        for name in (self._flow_cookie, self._then_cookie):
            response.delete_cookie(name, path=START)
        return response

    async def _person(self, request: Request) -> Credential:
        return await self._sign_in.finish(self._response_of(request), self._redirect_uri(request))

    def _response_of(self, request: Request) -> "ProviderAnswer":
        from longtable.identity.openid import ProviderAnswer

        given = {name: request.query_params.getlist(name) for name in ("state", "code", "error", "iss")}
        if any(len(values) > 1 or any(len(value) > _LONGEST for value in values) for values in given.values()):
            raise Unauthorized()
        state, code, error, issuer = (values[0] if values else None for values in given.values())
        flow = request.cookies.get(self._flow_cookie, "")
        return ProviderAnswer(flow, state or "", code, error, issuer)

    def _counted(self, request: Request, error: LongtableError) -> LongtableError:
        """The refusal, or that there were too many. Each but those is recorded."""
        if isinstance(error, Unauthorized):
            address = request.client.host if request.client else None
            error = self._app.logins.throttle.refusal(address, request.query_params.get("state", ""))
        if not isinstance(error, RateLimited):
            tenant = self._app.settings.effective_oidc_tenant
            self._observe(Caller(tenant, Role.READER, "unknown", "generic", Surface.CONSOLE), error.code)
        return error

    def _observe(self, caller: Caller, outcome: str) -> None:
        self._app.ledger.observe(Call(caller, "sign_in", "signed_in"), outcome)

    def _redirect_uri(self, request: Request) -> str:
        public = self._app.settings.public_url
        return f"{public or f'{request.url.scheme}://{request.url.netloc}'}{CALLBACK}"

    @property
    def _flow_cookie(self) -> str:
        return f"{self.cookie_name}_sign_in"

    @property
    def _then_cookie(self) -> str:
        return f"{self.cookie_name}_then"

    def _failed(self, error: LongtableError) -> Response:
        message = page.NOT_SIGNED_IN if isinstance(error, Unauthorized) else error.message
        shown = page.sign_in(page.SignInChoices(True, self.provider, action="/login"), message)
        return HTMLResponse(shown, error.status, {**RENDERED, **headers_for(error)})
