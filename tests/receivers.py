"""Receivers of notices: a real HTTP server and a real mail server, on ports of their own."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult


@dataclass(frozen=True)
class Received:
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Receiver:
    """`answers` are the statuses of the next requests; 204 when there are none left. It answers while `answers_after`
    is set."""

    address: str
    requests: list[Received] = field(default_factory=list)
    answers: list[int] = field(default_factory=list)
    arrived: threading.Event = field(default_factory=threading.Event)
    answers_after: threading.Event = field(default_factory=threading.Event)


@contextmanager
def http_receiver(shown: bytes = b"") -> Iterator[Receiver]:
    """Whoever asks for a page gets what is `shown`."""

    class ReceiverHandler(BaseHTTPRequestHandler):
        receiver: ClassVar[Receiver]

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            self.receiver.requests.append(Received(self.path, headers, body))
            self.receiver.arrived.set()
            self.receiver.answers_after.wait(30)
            status = self.receiver.answers.pop(0) if self.receiver.answers else 204
            self.send_response(status)
            if 300 <= status < 400:
                self.send_header("Location", f"{self.receiver.address}/elsewhere")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", str(len(shown)))
            self.end_headers()
            self.wfile.write(shown)

        def log_message(self, format: str, *args: Any) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), ReceiverHandler)
    ReceiverHandler.receiver = Receiver(f"http://127.0.0.1:{server.server_port}")
    ReceiverHandler.receiver.answers_after.set()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield ReceiverHandler.receiver
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@dataclass
class Mailbox:
    port: int
    mails: list[bytes] = field(default_factory=list)
    refuses: bool = False


class _MailHandler:
    def __init__(self, mailbox: Mailbox) -> None:
        self._mailbox = mailbox

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:
        if self._mailbox.refuses:
            return "451 Try again later"
        self._mailbox.mails.append(envelope.content)
        return "250 Taken"


@contextmanager
def mail_server() -> Iterator[Mailbox]:
    mailbox = Mailbox(0)
    controller = Controller(
        _MailHandler(mailbox),
        hostname="127.0.0.1",
        port=_free_port(),
        authenticator=lambda *_: AuthResult(success=True),
        auth_require_tls=False,
    )
    controller.start()
    mailbox.port = controller.port
    try:
        yield mailbox
    finally:
        controller.stop()


def _free_port() -> int:
    server = ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    server.server_close()
    return server.server_port
