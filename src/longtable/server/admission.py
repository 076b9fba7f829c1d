"""Lets a request in: who is calling, and is the session that it names theirs and alive? Before any tool runs."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

from starlette.datastructures import Headers

from longtable.app import App
from longtable.connections.service import Connection
from longtable.identity.agent_names import AgentNames
from longtable.identity.logins import csrf_token
from longtable.identity.model import Credential, Login
from longtable.identity.resolve import LOCAL, Claims, resolve_caller
from longtable.identity.unnamed_agents import UNKNOWN_AGENT, made_up_name, own_name
from longtable.kernel.call import CurrentSession
from longtable.kernel.caller import Caller, Role, Surface
from longtable.kernel.errors import InvalidArgument, InvalidSessionId, LongtableError, MissingSessionId, Unauthorized
from longtable.kernel.names import folded
from longtable.toolkit.dispatch import Invocation
from longtable.toolkit.tool import Scope


@dataclass(frozen=True, slots=True)
class SignedInLogin:
    """The login of a browser, and what its page must send back with every change."""

    login: Login
    csrf: str


_MAX_KNOWN = 1_000
_MAX_DECLARED = 50
"""Names of clients that are kept for each of those."""
_LONGEST_KNOWN = 500


IDENTITY_HEADERS = ("X-Caller-Agent", "X-Agent-Type", "X-Session-ID")
IN_ADDRESS = b"agent="
"""How an address names an agent: `/mcp?agent=NAME`."""

FindKey = Callable[[], Awaitable[str]]
"""What the name of an agent without one is made of: random digits that stay with its connection."""


class IdentityHeaders(NamedTuple):
    """What a request says of who sends it and of its session. `query` is that of its address, if it may name the
    agent; `repeated` names a header that is there twice."""

    agent: bytes | None = None
    agent_type: bytes | None = None
    session_id: bytes | None = None
    query: bytes = b""
    repeated: str | None = None


@dataclass(frozen=True, slots=True)
class Admission:
    """`refusal` is what is wrong with the session, where the transport can say so only in a tool's result.
    `signed_in` is set for a person at the console. Unless it `is_named`, ask `as_declared` who is calling."""

    caller: Caller
    credential: Credential
    names: AgentNames
    refusal: LongtableError | None = None
    signed_in: SignedInLogin | None = None
    is_named: bool = field(init=False)
    _declared: dict[str, Caller] = field(default_factory=dict, compare=False)

    def __post_init__(self) -> None:
        is_named = self.caller.role is not Role.LOCAL or folded(self.caller.agent) != UNKNOWN_AGENT
        object.__setattr__(self, "is_named", is_named)

    async def as_declared(self, client_name: str | None, find_key: FindKey) -> Caller:
        """With auth off a caller whom nothing names goes by the name that its client declares; if that is none, by
        one that is made up for its connection."""
        caller = self._declared.get(client_name or "")
        if caller is not None:
            return caller
        own = own_name(client_name)
        name = own or made_up_name(client_name, await find_key())
        caller = self._declared.get(name)
        if caller is None:
            unnamed = replace(self.caller, agent=name, has_made_up_name=own is None)
            caller = await self.names.with_stored_name(unnamed)
            if len(self._declared) < _MAX_DECLARED and self.names.has(caller):
                self._declared[name] = caller
        return caller

    async def new_key(self, client_name: str | None) -> str:
        """For a new connection of a caller whom nothing names."""
        return await self.names.new_key(self.caller.tenant, client_name)


def current_session_of(connection: Connection) -> CurrentSession:
    return CurrentSession(connection.row.session_id, save=connection.enter)


class Authenticator:
    """`cookie_name` is set before the first request, where there is a console to sign in to."""

    def __init__(self, app: App) -> None:
        self._app = app
        self.cookie_name = ""
        self._is_strict = app.session_resolver.provisioning is None
        self._known: dict[tuple[Any, ...], Admission] = {}

    async def identify(self, authorization: bytes | None) -> Credential:
        """Raises Unauthorized, with the same words for every cause."""
        if self._app.auth == "off":
            return LOCAL
        scheme, _, secret = (authorization or b"").decode("latin-1").partition(" ")
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

    async def admit(
        self, credential: Credential, surface: Surface, identity: IdentityHeaders, to_change: bool
    ) -> Admission:
        """Raises the error for a wrong session or identity header. Clients send the same headers with every request, so
        they are parsed once; the session is looked up each time."""
        key = (credential.token_id, credential.name, surface, identity)
        admission = self._known.get(key)
        if admission is None or (admission.credential is not credential and admission.credential != credential):
            caller = await self._app.names.with_stored_name(resolve_caller(credential, _claims(surface, identity)))
            admission = Admission(caller, credential, self._app.names)
            self._remember(key, admission)
        caller = admission.caller
        if caller.session_id is not None:
            await self._app.sessions.require(caller, caller.session_id, to_change)
        return admission

    async def admit_late(self, credential: Credential, surface: Surface, identity: IdentityHeaders) -> Admission:
        """The same for transports without a status of their own: the first tool call says what is wrong."""
        try:
            return await self.admit(credential, surface, identity, to_change=False)
        except LongtableError as refusal:
            return Admission(await self._plain_caller(credential, surface), credential, self._app.names, refusal)

    async def record(self, refusal: LongtableError, credential: Credential, surface: Surface, message: Any) -> None:
        """Audits, counts and logs the tool calls of a message that is not let in."""
        calls = tool_calls(message)
        caller = await self._plain_caller(credential, surface) if calls else None
        for name, arguments in calls:
            if caller is not None:
                call = Invocation(name, arguments, caller, CurrentSession(lasting=False), refusal=refusal)
                await self._app.dispatcher.call(call)

    async def _plain_caller(self, credential: Credential, surface: Surface) -> Caller:
        """Who has this credential, whatever the headers say."""
        return await self._app.names.with_stored_name(resolve_caller(credential, Claims(surface)))

    def _remember(self, key: tuple[Any, ...], admission: Admission) -> None:
        identity: IdentityHeaders = key[-1]
        if not self._app.names.has(admission.caller) or sum(len(each or b"") for each in identity[:4]) > _LONGEST_KNOWN:
            return
        if len(self._known) >= _MAX_KNOWN:
            self._known.clear()
        self._known[key] = admission

    def require_session(self, current_session: CurrentSession, message: Any) -> None:
        """For a caller without a session. Raises MissingSessionId if `message` calls a tool that needs one and would
        find none, as nothing but its arguments could name one."""
        if not self._is_strict or current_session.session_id is not None:
            return
        for name, arguments in tool_calls(message):
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


def _claims(surface: Surface, identity: IdentityHeaders) -> Claims:
    if identity.repeated == "X-Session-ID":
        raise InvalidSessionId("X-Session-ID: must be given once.")
    if identity.repeated is not None:
        raise InvalidArgument.at(identity.repeated, "must be given once")
    agent, source = _named_agent(surface, identity)
    return Claims(
        surface=surface,
        agent=agent,
        agent_source=source,
        agent_type=_text("X-Agent-Type", identity.agent_type),
        session_id=None if identity.session_id is None else identity.session_id.decode("latin-1"),
    )


def _named_agent(surface: Surface, identity: IdentityHeaders) -> tuple[str | None, str]:
    """The name that header and address give, and which of them. Raises InvalidArgument where they disagree."""
    header = _text("X-Caller-Agent", identity.agent)
    # Over REST the query has the arguments of tools.
    named = _agent_in(identity.query) if surface in (Surface.HTTP, Surface.SSE) else None
    if named is None:
        return header, "X-Caller-Agent"
    if header is not None and folded(header) != folded(named):
        problem = "the address names another agent than the header X-Caller-Agent; give one, or the same name in both"
        raise InvalidArgument.at("?agent=", problem)
    return named, "?agent="


def _agent_in(query: bytes) -> str | None:
    try:
        parts = parse_qsl(query.decode("latin-1"), keep_blank_values=True, errors="strict")
    except ValueError:
        raise InvalidArgument.at("?agent=", "must be UTF-8") from None
    given = [value for name, value in parts if name == "agent"]
    if len(given) > 1:
        raise InvalidArgument.at("?agent=", "must be given once")
    return given[0] if given else None


def _text(header: str, value: bytes | None) -> str | None:
    try:
        return None if value is None else value.decode()
    except UnicodeDecodeError:
        raise InvalidArgument.at(header, "must be UTF-8") from None


def tool_calls(message: Any) -> list[tuple[str, dict[str, Any]]]:
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
