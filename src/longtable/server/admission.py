"""Lets a request in: who is calling, and is the session that it names theirs and alive? Before any tool runs."""

from dataclasses import dataclass, replace
from typing import Any

from starlette.datastructures import Headers

from longtable.app import App
from longtable.connections.service import Connection
from longtable.identity.agent_names import AgentNames
from longtable.identity.logins import csrf_token
from longtable.identity.model import Credential, Login
from longtable.identity.resolve import LOCAL, UNKNOWN_AGENT, Claims, declared_name, resolve_caller
from longtable.kernel.call import CurrentSession
from longtable.kernel.caller import Caller, Role, Surface
from longtable.kernel.errors import InvalidArgument, InvalidSessionId, LongtableError, MissingSessionId, Unauthorized
from longtable.kernel.names import folded
from longtable.toolkit.tool import Scope


@dataclass(frozen=True, slots=True)
class SignedInLogin:
    """The login of a browser, and what its page must send back with every change."""

    login: Login
    csrf: str


@dataclass(frozen=True, slots=True)
class Admission:
    """`refusal` is what is wrong with the session, where the transport can say so only in a tool's result.
    `signed_in` is set for a person at the console."""

    caller: Caller
    credential: Credential
    names: AgentNames
    refusal: LongtableError | None = None
    signed_in: SignedInLogin | None = None

    async def as_declared(self, client_name: str | None) -> Caller:
        """With auth off a client that nobody named goes by the name it gives itself."""
        if self.caller.role is not Role.LOCAL or folded(self.caller.agent) != UNKNOWN_AGENT:
            return self.caller
        return await self.names.with_stored_name(
            replace(self.caller, agent=declared_name(client_name) or UNKNOWN_AGENT)
        )


def current_session_of(connection: Connection) -> CurrentSession:
    return CurrentSession(connection.row.session_id, save=connection.enter)


class Authenticator:
    """`cookie_name` is set before the first request, where there is a console to sign in to."""

    def __init__(self, app: App) -> None:
        self._app = app
        self.cookie_name = ""

    async def identify(self, authorization: str | None) -> Credential:
        """Raises Unauthorized, with the same words for every cause."""
        if self._app.auth == "off":
            return LOCAL
        scheme, _, secret = (authorization or "").partition(" ")
        if scheme.lower() != "bearer" or not secret.strip():
            raise Unauthorized()
        credential = await self._app.verifier.verify(secret.strip())
        if credential is None:
            raise Unauthorized()
        return credential

    async def connection(self, connection_id: str, credential: Credential) -> Connection | None:
        return await self._app.connections.find(connection_id, credential)

    async def identify_login(self, cookie: str) -> SignedInLogin:
        """Raises Unauthorized for a login that has ended."""
        login = await self._app.logins.find(cookie)
        if login is None:
            raise Unauthorized()
        return SignedInLogin(login, csrf_token(cookie))

    async def admit(self, credential: Credential, surface: Surface, headers: Headers, to_change: bool) -> Admission:
        """Raises what the session header or the identity headers deserve."""
        caller = await self._app.names.with_stored_name(resolve_caller(credential, _claims(surface, headers)))
        if caller.session_id is not None:
            await self._app.gate.check(caller, caller.session_id, to_change)
        return Admission(caller, credential, self._app.names)

    async def admit_late(self, credential: Credential, surface: Surface, headers: Headers) -> Admission:
        """The same for transports without a status of their own: the first tool call tells what is wrong."""
        try:
            return await self.admit(credential, surface, headers, to_change=False)
        except LongtableError as refusal:
            plain = resolve_caller(replace(credential, session_id=None), Claims(surface))
            return Admission(await self._app.names.with_stored_name(plain), credential, self._app.names, refusal)

    def lacks_session(self, admission: Admission, current_session: CurrentSession) -> bool:
        """Whether a tool that needs a session would find none, as nothing but its arguments could name one."""
        return self._app.strict and admission.caller.session_id is None and current_session.session_id is None

    def require_session(self, message: Any) -> None:
        """Raises MissingSessionId if `message`, from somebody without a session, calls a tool that needs one."""
        for name, arguments in _tool_calls(message):
            tool = self._app.dispatcher.tools.get(name)
            if tool is None or tool.scope not in (Scope.SESSION, Scope.NAMED_SESSION):
                continue
            if tool.scope is Scope.NAMED_SESSION and arguments.get("session_id"):
                continue
            raise MissingSessionId("This call needs a session.", hint="Send the header X-Session-ID.")


def authorization_of(headers: Headers) -> str | None:
    """Raises InvalidArgument where there is more than one: a proxy may look at the one and we at the other."""
    given = headers.getlist("authorization")
    if len(given) > 1:
        raise InvalidArgument.at("Authorization", "must be given once")
    return given[0] if given else None


def _claims(surface: Surface, headers: Headers) -> Claims:
    return Claims(
        surface=surface,
        agent=_name(headers, "X-Caller-Agent"),
        agent_type=_name(headers, "X-Agent-Type"),
        session_id=_session_id(headers),
    )


def _session_id(headers: Headers) -> str | None:
    given = headers.getlist("x-session-id")
    if len(given) > 1:
        # A proxy may look at the one and we at the other.
        raise InvalidSessionId("X-Session-ID: must be given once.")
    return given[0] if given else None


def _name(headers: Headers, header: str) -> str | None:
    given = headers.getlist(header)
    if len(given) > 1:
        raise InvalidArgument.at(header, "must be given once")
    try:
        return given[0].encode("latin-1").decode() if given else None
    except UnicodeDecodeError:
        raise InvalidArgument.at(header, "must be UTF-8") from None


def _tool_calls(message: Any) -> list[tuple[str, dict[str, Any]]]:
    """Name and arguments of the tool calls in a JSON-RPC message or batch, as far as they are well formed."""
    found = []
    for part in message if isinstance(message, list) else [message]:
        if not isinstance(part, dict) or part.get("method") != "tools/call":
            continue
        params = part.get("params")
        if isinstance(params, dict) and isinstance(params.get("name"), str):
            arguments = params.get("arguments")
            found.append((params["name"], arguments if isinstance(arguments, dict) else {}))
    return found
