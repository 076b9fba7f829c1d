"""The caller of a request and the features of this server: the first request of a page."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from longtable import __version__
from longtable.app import App
from longtable.identity.human_secret import first_set_unseen, mark_first_set_seen
from longtable.identity.model import Credential, Login
from longtable.kernel.call import Call
from longtable.kernel.caller import Caller, Role
from longtable.kernel.clock import to_iso
from longtable.kernel.errors import Forbidden, LongtableError, NotFound, Unauthorized
from longtable.rest.replies import refusal
from longtable.settings.provides import provided

ME = "/me"
SEEN = "/me/notices/{notice}/seen"
SECRET_NOTICE = "human_secret_set"


class BrowserLogin(Protocol):
    @property
    def login(self) -> Login: ...

    @property
    def csrf(self) -> str: ...


class SignedInAdmission(Protocol):
    @property
    def caller(self) -> Caller: ...

    @property
    def credential(self) -> Credential: ...

    @property
    def signed_in(self) -> BrowserLogin | None: ...


@dataclass(frozen=True, slots=True)
class WhoAmI:
    app: App
    admission_of: Callable[[Request], SignedInAdmission]

    def routes(self) -> list[Route]:
        return [Route(ME, self._answer), Route(SEEN, self._seen, methods=["POST"])]

    async def _answer(self, request: Request) -> Response:
        admitted = self.admission_of(request)
        if admitted.caller.role is Role.LOCAL:
            # Auth is off: the caller is admitted, but anonymous.
            return refusal(Unauthorized())
        body = {**self._describe(admitted, str(request.base_url)), "notices": await self._notices(admitted.caller)}
        return JSONResponse(body, headers={"Cache-Control": "no-store"})

    async def _seen(self, request: Request) -> Response:
        """Marks a notice as seen: it is not shown any more."""
        caller = self.admission_of(request).caller
        try:
            if caller.role is not Role.OWNER or not caller.is_human:
                raise Forbidden("Notices are for the owner.")
            if request.path_params["notice"] != SECRET_NOTICE:
                raise NotFound("There is no such notice.")
        except LongtableError as error:
            return refusal(error)
        await mark_first_set_seen(self.app.database)
        call = Call(caller, "see_notice", "notice_seen")
        self.app.ledger.observe(call, "SUCCESS", f"notice:{SECRET_NOTICE}")
        return JSONResponse({"ok": True, "notice": SECRET_NOTICE})

    async def _notices(self, caller: Caller) -> list[dict[str, str]]:
        """Notices for owners, until one of them marks them as seen."""
        if caller.role is not Role.OWNER or not caller.is_human:
            return []
        moment = await first_set_unseen(self.app.database)
        return [] if moment is None else [{"notice": SECRET_NOTICE, "since": to_iso(moment)}]

    def _describe(self, admitted: SignedInAdmission, address: str) -> dict[str, Any]:
        settings, signed_in = self.app.settings, admitted.signed_in
        return {
            "ok": True,
            "name": admitted.credential.name,
            "agent": admitted.caller.agent,
            "role": admitted.caller.role.value,
            "tenant": admitted.caller.tenant,
            "auth": self.app.auth,
            "csrf": signed_in.csrf if signed_in else None,
            "login_expires_at": to_iso(signed_in.login.expires_at) if signed_in else None,
            "server_name": settings.server_name,
            "version": __version__,
            "mcp_url": (settings.resource or address.rstrip("/") + settings.http_path)
            if settings.enable_http
            else None,
            "features": {
                "gateway": "gateway" in provided(settings, self.app.gateway_file),
                "search": "hybrid" if settings.enable_semantic_search else "keyword",
                "metrics": settings.enable_metrics,
            },
        }
