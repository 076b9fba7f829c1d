"""Connections over HTTP that are kept open: responses in every form that HTTP/1.1 has, and those that are none."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx2
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from longtable.upstreams import keep_alive
from longtable.upstreams.keep_alive import DRAIN, KeepAliveConnections
from tests.e2e.servers import until
from tests.stores import anyio_backend

__all__ = ["anyio_backend"]

WHOLE = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nword"
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nword\r\n0\r\n\r\n"
INTERIM = b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + WHOLE
EMPTY = b"HTTP/1.1 204 No Content\r\n\r\n"


class ScriptedPeer:
    """A server that answers each request with the next of these bytes; None closes the connection."""

    def __init__(self, *answers: bytes | None) -> None:
        self.answers = list(answers)
        self.connections = 0
        self.requests: list[bytes] = []
        self.port = 0
        self.writers: list[asyncio.StreamWriter] = []

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self.writers.append(writer)
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                size = next(
                    (int(line.split(b":")[1]) for line in head.lower().split(b"\r\n") if b"content-length" in line), 0
                )
                self.requests.append(head + await reader.readexactly(size))
                answer = self.answers.pop(0)
                if answer is None:
                    break
                writer.write(answer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()


@asynccontextmanager
async def listening(peer: ScriptedPeer, secure: ssl.SSLContext | None = None) -> AsyncIterator[ScriptedPeer]:
    server = await asyncio.start_server(peer.serve, "127.0.0.1", 0, ssl=secure)
    peer.port = server.sockets[0].getsockname()[1]
    try:
        yield peer
    finally:
        server.close()
        for writer in peer.writers:
            writer.close()


async def sent(connections: KeepAliveConnections, peer: ScriptedPeer, body: bytes = b"{}", **headers: str) -> bytes:
    """The body of the response."""
    response = await begun(connections, peer, body, **headers)
    data = b"".join([chunk async for chunk in response.stream])  # type: ignore[union-attr]  # it is an asynchronous one
    await response.aclose()
    return data


async def begun(
    connections: KeepAliveConnections, peer: ScriptedPeer, body: bytes = b"{}", **headers: str
) -> httpx2.Response:
    timeouts = {"timeout": {"connect": 30.0, "read": 30.0}}
    url = f"http://127.0.0.1:{peer.port}/a?b=c"
    request = httpx2.Request("POST", url, headers=headers, content=body, extensions=timeouts)
    return await connections.send(request, "127.0.0.1")


@pytest.fixture
async def connections() -> AsyncIterator[KeepAliveConnections]:
    result = KeepAliveConnections()
    yield result
    await result.close()


@pytest.mark.parametrize("answer", [WHOLE, CHUNKED, INTERIM])
async def test_one_connection_serves_many_requests(connections: KeepAliveConnections, answer: bytes) -> None:
    async with listening(ScriptedPeer(*[answer] * 5)) as peer:
        bodies = [await sent(connections, peer, b'{"n": %d}' % number) for number in range(5)]

    assert bodies == [b"word"] * 5
    assert peer.connections == 1
    assert peer.requests[3].startswith(b"POST /a?b=c HTTP/1.1\r\n")
    assert peer.requests[3].endswith(b'\r\n\r\n{"n": 3}')


async def test_requests_at_the_same_time_have_a_connection_each(connections: KeepAliveConnections) -> None:
    async with listening(ScriptedPeer(*[WHOLE] * 3)) as peer:
        bodies = await asyncio.gather(*(sent(connections, peer) for _ in range(3)))

    assert bodies == [b"word"] * 3
    assert peer.connections == 3


@pytest.mark.parametrize(
    "last",
    [
        b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 4\r\n\r\nword",
        b"HTTP/1.0 200 OK\r\nContent-Length: 4\r\n\r\nword",
        WHOLE + b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nforged",
    ],
)
async def test_a_connection_that_cannot_go_on_is_not_used_again(connections: KeepAliveConnections, last: bytes) -> None:
    async with listening(ScriptedPeer(last, CHUNKED)) as peer:
        assert [await sent(connections, peer), await sent(connections, peer)] == [b"word", b"word"]

    assert peer.connections == 2


async def test_what_arrives_unasked_ends_the_connection(connections: KeepAliveConnections) -> None:
    async with listening(ScriptedPeer(WHOLE, EMPTY)) as peer:
        await sent(connections, peer)
        peer.writers[0].write(b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged")
        await until(lambda: not connections.open_count)

        assert await sent(connections, peer) == b""


async def test_a_connection_that_the_server_has_closed_is_not_used(connections: KeepAliveConnections) -> None:
    async with listening(ScriptedPeer(WHOLE, WHOLE)) as peer:
        await sent(connections, peer)
        peer.writers[0].close()
        await until(lambda: not connections.open_count)

        assert await sent(connections, peer) == b"word"


async def test_a_connection_that_was_idle_for_long_is_not_used(
    connections: KeepAliveConnections, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with listening(ScriptedPeer(WHOLE, WHOLE)) as peer:
        await sent(connections, peer)
        monkeypatch.setattr(keep_alive, "IDLE_SECONDS", 0.0)

        await sent(connections, peer)

    assert peer.connections == 2


async def test_a_body_without_a_length_ends_with_its_connection(connections: KeepAliveConnections) -> None:
    async with listening(ScriptedPeer(b"HTTP/1.1 200 OK\r\n\r\nword")) as peer:
        response = await begun(connections, peer)
        peer.writers[0].close()

        assert b"".join([chunk async for chunk in response.stream]) == b"word"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "answer",
    [
        None,
        b"SSH-2.0-OpenSSH_9.6\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\nContent-Length: 4\r\n\r\nword",
        b"HTTP/1.1 200 OK\r\nX: " + b"x" * 200_000,
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
    ],
)
async def test_what_is_no_response_is_an_error(connections: KeepAliveConnections, answer: bytes | None) -> None:
    async with listening(ScriptedPeer(answer)) as peer:
        with pytest.raises(httpx2.TransportError):
            await sent(connections, peer)

    await until(lambda: not connections.open_count)


async def test_a_body_that_breaks_off_is_an_error(connections: KeepAliveConnections) -> None:
    async with listening(ScriptedPeer(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nword")) as peer:
        response = await begun(connections, peer)
        peer.writers[0].close()

        with pytest.raises(httpx2.RemoteProtocolError):
            await response.aread()


async def test_a_response_that_is_given_up_ends_its_connection(connections: KeepAliveConnections) -> None:
    async with listening(ScriptedPeer(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nword")) as peer:
        response = await begun(connections, peer)

        await response.aclose()

    await until(lambda: not connections.open_count)


async def test_a_stream_that_is_drained_leaves_its_connection_to_the_next_request(
    connections: KeepAliveConnections,
) -> None:
    async with listening(ScriptedPeer(CHUNKED.removesuffix(b"0\r\n\r\n"), WHOLE)) as peer:
        response = await begun(connections, peer)
        response.extensions[DRAIN]()
        await response.aclose()
        peer.writers[0].write(b"4\r\nmore\r\n0\r\n\r\n")
        await until(lambda: connections.idle_count == 1)

        assert await sent(connections, peer) == b"word"

    assert peer.connections == 1


async def test_a_server_that_does_not_answer_is_given_up(connections: KeepAliveConnections) -> None:
    async with listening(ScriptedPeer(b"")) as peer:
        request = httpx2.Request("POST", f"http://127.0.0.1:{peer.port}/", extensions={"timeout": {"read": 0.01}})

        with pytest.raises(httpx2.ReadTimeout):
            await connections.send(request, "127.0.0.1")

    await until(lambda: not connections.open_count)


async def test_more_than_is_read_is_not_taken_from_the_server(connections: KeepAliveConnections) -> None:
    size = 20_000_000
    async with listening(ScriptedPeer(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % size + b"x" * size)) as peer:
        response = await begun(connections, peer)
        parts = [len(chunk) async for chunk in response.stream]  # type: ignore[union-attr]

        assert sum(parts) == size


@pytest.mark.parametrize("value", ["a\r\nX-Forged: b", "a\nb", "a\0b"])
async def test_a_header_cannot_hold_another_one(connections: KeepAliveConnections, value: str) -> None:
    async with listening(ScriptedPeer(WHOLE)) as peer:
        with pytest.raises(httpx2.LocalProtocolError):
            await sent(connections, peer, traceparent=value)

    assert not peer.connections


@pytest.mark.parametrize(("name", "is_accepted"), [("upstream.example", True), ("other.example", False)])
async def test_a_certificate_must_have_the_name_that_was_asked_for(
    tmp_path: Path, name: str, is_accepted: bool
) -> None:
    certificate = certificate_for("upstream.example", tmp_path)
    theirs = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    theirs.load_cert_chain(certificate)
    connections = KeepAliveConnections(ssl.create_default_context(cafile=certificate))
    async with listening(ScriptedPeer(WHOLE, WHOLE), theirs) as peer:
        request = httpx2.Request("POST", f"https://{name}:{peer.port}/", content=b"{}")
        if is_accepted:
            response = await connections.send(request, "127.0.0.1")
            assert await response.aread() == b"word"
        else:
            with pytest.raises(httpx2.ConnectError):
                await connections.send(request, "127.0.0.1")
        await connections.close()


async def test_the_operators_own_certificates_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    certificate = certificate_for("upstream.example", tmp_path)
    theirs = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    theirs.load_cert_chain(certificate)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    connections = KeepAliveConnections()
    async with listening(ScriptedPeer(WHOLE), theirs) as peer:
        request = httpx2.Request("POST", f"https://upstream.example:{peer.port}/", content=b"{}")

        response = await connections.send(request, "127.0.0.1")

        assert await response.aread() == b"word"
        await connections.close()


def certificate_for(name: str, folder: Path) -> Path:
    """A key and a certificate that it has signed itself, in one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    path = folder / "certificate.pem"
    form = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    path.write_bytes(key.private_bytes(*form) + certificate.public_bytes(serialization.Encoding.PEM))
    return path
