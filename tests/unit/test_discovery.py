"""What is believed of an identity provider that describes itself: nothing of another issuer, nothing in the clear."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from longtable.identity.discovery import ProviderFailed, discover

OPENID = "/.well-known/openid-configuration"
OAUTH = "/.well-known/oauth-authorization-server"


class Provider(ThreadingHTTPServer):
    """Answers with what stands in `pages`: a status, and a body or an address to go on to."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), MetadataHandler)
        self.pages: dict[str, tuple[int, Any]] = {}
        self.asked: list[str] = []

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def describes(self, path: str, issuer: str, **more: Any) -> None:
        self.pages[path] = 200, {"issuer": issuer, "jwks_uri": f"{self.address}/keys", **more}


class MetadataHandler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        assert isinstance(self.server, Provider)
        self.server.asked.append(self.path)
        status, page = self.server.pages.get(self.path, (404, {}))
        body = page if isinstance(page, bytes) else json.dumps(page).encode()
        self.send_response(status)
        if status == 302:
            self.send_header("Location", str(page))
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: Any) -> None:
        pass


@pytest.fixture
def provider() -> Iterator[Provider]:
    with Provider() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def test_metadata_are_found_by_either_standard_below_a_path_too(provider: Provider) -> None:
    issuer = f"{provider.address}/realms/acme"
    provider.describes(f"{OAUTH}/realms/acme", issuer, token_endpoint=f"{provider.address}/token")

    found = discover(issuer)

    assert provider.asked == [f"/realms/acme{OPENID}", f"{OAUTH}/realms/acme"]
    assert (found.jwks_uri, found.token_endpoint) == (f"{provider.address}/keys", f"{provider.address}/token")
    assert (found.secret_in_form, found.names_itself) == (False, False)


def test_a_slash_at_the_end_of_an_issuer_is_part_of_its_name(provider: Provider) -> None:
    provider.describes(OPENID, f"{provider.address}/")

    assert discover(f"{provider.address}/").issuer == f"{provider.address}/"
    with pytest.raises(ProviderFailed, match="another issuer"):
        discover(provider.address)


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ({"issuer": "https://evil.example"}, "another issuer"),
        ({"jwks_uri": "http://keys.example/keys"}, "no keys"),
        ({"jwks_uri": None}, "no keys"),
        ({"jwks_uri": "file:///etc/passwd"}, "no keys"),
    ],
)
def test_metadata_that_lead_astray_are_not_believed(provider: Provider, more: dict[str, Any], problem: str) -> None:
    provider.describes(OPENID, provider.address)
    provider.pages[OPENID][1].update(more)

    with pytest.raises(ProviderFailed, match=problem):
        discover(provider.address)


def test_an_address_in_the_clear_is_as_none(provider: Provider) -> None:
    provider.describes(
        OPENID,
        provider.address,
        authorization_endpoint="http://id.example/auth",
        token_endpoint="https://id.example/token?api-version=1",
        token_endpoint_auth_methods_supported=["client_secret_post"],
    )

    found = discover(provider.address)

    assert found.authorization_endpoint is None
    assert found.token_endpoint == "https://id.example/token?api-version=1"
    assert found.secret_in_form


@pytest.mark.parametrize("page", [(302, "http://127.0.0.1:9/"), (200, b"x" * 1_100_000), (200, b"<html>"), (500, {})])
def test_an_answer_of_no_use_is_a_failure(provider: Provider, page: tuple[int, Any]) -> None:
    provider.pages[OPENID] = provider.pages[OAUTH] = page

    with pytest.raises(ProviderFailed):
        discover(provider.address)
