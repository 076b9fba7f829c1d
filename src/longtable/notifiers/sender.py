"""Sends one notice: over HTTP to an address that is checked when it is connected to, or by a mail server."""

import asyncio
import re
import smtplib
import ssl
from collections.abc import Callable
from dataclasses import dataclass, field
from email.message import EmailMessage
from typing import Final
from urllib.parse import SplitResult, urlsplit

import httpx2

from longtable.gateway.token_cipher import TokenCipher
from longtable.kernel.clock import SECOND, Clock
from longtable.kernel.errors import InvalidArgument
from longtable.log.ledger import Work
from longtable.log.reader import head
from longtable.notifiers import bodies
from longtable.notifiers.arguments import AddNotifier
from longtable.notifiers.bodies import HttpNotice, WebhookSigning
from longtable.notifiers.model import NoticeFacts, Notifier, NotifierKind, NotifierSource, OutgoingNotice, SendOutcome
from longtable.settings.notice_options import MailSecurity
from longtable.settings.options import Settings
from longtable.upstreams.addresses import check_address, check_host, literal, may_be_allowed
from longtable.upstreams.safety import Destination, describe, safe_client

_SECONDS: Final = 15.0
_ADDRESS: Final = "notifier address"
_SECRET: Final = "notifier secret"
_MAIL: Final = re.compile(r"[^\s@<>,;:\"()\\\[\]]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,250}[A-Za-z0-9])?")
_UNREADABLE: Final = "The key with which its address was encrypted is another one, or gone. Add it again."
_NO_MAIL_SERVER: Final = "No mail server is set: the option smtp_host."


@dataclass(frozen=True, slots=True)
class MailServer:
    host: str
    port: int
    security: MailSecurity
    user: str | None
    password: str | None = field(repr=False)
    sender: str

    @classmethod
    def of(cls, settings: Settings) -> "MailServer | None":
        if settings.smtp_host is None:
            return None
        sender = settings.smtp_from or f"longtable@{settings.smtp_host}"
        return cls(
            settings.smtp_host,
            settings.smtp_port,
            settings.smtp_security,
            settings.smtp_user,
            settings.smtp_password,
            sender,
        )


class NoticeSender:
    """`listening` tells where this process listens, if it does. Addresses and secrets are encrypted here."""

    def __init__(self, settings: Settings, clock: Clock, listening: Callable[[], str | None] = lambda: None) -> None:
        self._settings = settings
        self._listening = listening
        self._cipher = TokenCipher(settings.data_dir, settings.upstream_token_key)
        self._mail = MailServer.of(settings)
        self._clock = clock

    @property
    def has_mail_server(self) -> bool:
        return self._mail is not None

    def is_for(self, notifier: Notifier) -> bool:
        """A process that serves one client beside the server may not know the mail server, and leaves mails to it."""
        return notifier.kind != "email" or self.has_mail_server or self._listening() is not None

    async def new_notifier(
        self, work: Work, wanted: AddNotifier, secret: str | None, source: NotifierSource
    ) -> Notifier:
        """As it is stored: address and secret encrypted."""
        tenant, name = work.caller.tenant, wanted.name
        return Notifier(
            name=name,
            kind=wanted.kind,
            address=self._cipher.encrypt(wanted.to, tenant, _ADDRESS, name),
            shown_address=shown_target(wanted.kind, wanted.to),
            secret=None if secret is None else self._cipher.encrypt(secret, tenant, _SECRET, name),
            events=tuple(dict.fromkeys(wanted.events)),
            allow_private=wanted.allow_private,
            source=source,
            # What happened before is not sent.
            position=await head(work.tx),
            created_by=work.caller.agent,
            created_at=work.now,
        )

    def opened(self, tenant: str, notifier: Notifier) -> tuple[str | None, str | None]:
        """Address and secret; None for what cannot be decrypted, and where there is no secret."""
        address = self._cipher.decrypt(notifier.address, tenant, _ADDRESS, notifier.name)
        return address, notifier.secret and self._cipher.decrypt(notifier.secret, tenant, _SECRET, notifier.name)

    async def send(self, tenant: str, notifier: Notifier, notice: OutgoingNotice, purpose: str | None) -> SendOutcome:
        """Never raises for what the receiver does or is."""
        address, secret = self.opened(tenant, notifier)
        if address is None or (notifier.kind == "webhook" and secret is None):
            return SendOutcome(problem=_UNREADABLE)
        facts = bodies.facts_of(notice, purpose, console_address(self._settings, self._listening()))
        if notifier.kind == "email":
            return await self._send_mail(facts, notice, address)
        signing = WebhookSigning(secret or "", notice.notice_id, self._clock())
        message = bodies.webhook(facts, signing) if notifier.kind == "webhook" else _SHAPES[notifier.kind](facts)
        return await self._post(address, message, allow_private=notifier.allow_private)

    async def _post(self, url: str, message: HttpNotice, *, allow_private: bool) -> SendOutcome:
        try:
            check_url(url, allow_private=allow_private)
            host = urlsplit(url).hostname or ""
            destination = Destination(host, frozenset({host} if allow_private else ()))
            async with asyncio.timeout(_SECONDS), safe_client(destination, timeout=_SECONDS) as client:
                request = client.build_request("POST", url, content=message.body, headers=dict(message.headers))
                # The status is enough: what else a receiver says may be endless.
                response = await client.send(request, stream=True)
                await response.aclose()
        except InvalidArgument as error:
            return SendOutcome(problem=error.message)
        except TimeoutError:
            return SendOutcome(problem="it did not answer in time")
        except (httpx2.HTTPError, httpx2.InvalidURL, ssl.SSLError, OSError) as error:
            return SendOutcome(problem=describe(error))
        if response.is_success:
            return SendOutcome(response.status_code)
        problem = f"The receiver answered {response.status_code}."
        return SendOutcome(response.status_code, problem, _retry_after(response.headers.get("retry-after", "")))

    async def _send_mail(self, facts: NoticeFacts, notice: OutgoingNotice, to: str) -> SendOutcome:
        if self._mail is None:
            return SendOutcome(problem=_NO_MAIL_SERVER)
        message = bodies.email(facts, notice.notice_id, self._mail.sender, to)
        try:
            await asyncio.to_thread(_deliver_mail, self._mail, message)
        except smtplib.SMTPResponseException as error:
            return SendOutcome(error.smtp_code, f"The mail server answered {error.smtp_code}.")
        except UnicodeError:
            # Its words hold the password.
            return SendOutcome(problem="The mail server cannot be told smtp_user and smtp_password: use ASCII only.")
        except (smtplib.SMTPException, OSError) as error:
            # Its words may hold what was sent to it.
            return SendOutcome(problem=f"The mail server did not take it: {type(error).__name__}.")
        return SendOutcome()


_SHAPES: Final = {"ntfy": bodies.ntfy, "slack": bodies.slack}


def check_target(kind: NotifierKind, to: str, *, allow_private: bool) -> None:
    """Raises InvalidArgument."""
    if kind != "email":
        check_url(to, allow_private=allow_private)
    elif not _MAIL.fullmatch(to) or ".." in to:
        raise InvalidArgument.at("to", "must be one e-mail address")


def check_url(url: str, *, allow_private: bool) -> None:
    """Raises InvalidArgument."""
    parts = _parts_of(url)
    if parts.username is not None or parts.password is not None or parts.fragment:
        raise InvalidArgument.at("to", "must not hold a user, a password or a fragment")
    host = parts.hostname or ""
    problem = check_host(host)
    if problem is not None:
        raise InvalidArgument.at("to", f"is refused: the host is {problem}")
    _check_reach(parts.scheme, host, allow_private=allow_private)


def _parts_of(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        is_usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_usable = False
    if not is_usable or not url.isprintable() or " " in url:
        raise InvalidArgument.at("to", "must be a URL such as https://example.org/hook")
    return parts


def _check_reach(scheme: str, host: str, *, allow_private: bool) -> None:
    address = literal(host)
    if allow_private:
        if address is not None and not may_be_allowed(address):
            raise InvalidArgument.at("to", f"is refused: its address is {check_address(address)}")
        return
    reason = "loopback" if Destination(host).is_loopback else None if address is None else check_address(address)
    if reason is not None:
        raise InvalidArgument.at("to", f"is refused: its address is {reason}. allow_private allows private ones")
    if scheme == "http":
        raise InvalidArgument.at("to", "must begin with https://, unless allow_private is set")


def shown_target(kind: NotifierKind, to: str) -> str:
    """Without what may be a secret: the whole path at Slack, the topic of ntfy, and every query."""
    if kind == "email":
        return to
    parts = urlsplit(to)
    path = parts.path if kind == "webhook" else "/***"
    return f"{parts.scheme}://{parts.netloc}{path}{'?***' if parts.query else ''}"


def console_address(settings: Settings, listening: str | None) -> str:
    """Where people open the links of notices."""
    if settings.public_url is not None:
        return settings.public_url.rstrip("/")
    host = f"[{settings.http_host}]" if ":" in settings.http_host else settings.http_host
    address = listening or f"http://{host}:{settings.http_port}"
    return address.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:")


def _retry_after(header: str) -> int:
    return int(header) * SECOND if re.fullmatch(r"[0-9]{1,6}", header) else 0


def _deliver_mail(server: MailServer, message: EmailMessage) -> None:
    """In a thread: the library of the standard waits for the network."""
    context = ssl.create_default_context()
    if server.security == "tls":
        client: smtplib.SMTP = smtplib.SMTP_SSL(server.host, server.port, timeout=_SECONDS, context=context)
    else:
        client = smtplib.SMTP(server.host, server.port, timeout=_SECONDS)
    with client:
        if server.security == "starttls":
            client.starttls(context=context)
        if server.user is not None:
            client.login(server.user, server.password or "")
        client.send_message(message)
