"""The console's page: who gets it, what a browser is told about it, and what lies beside it."""

import base64
import gzip
import hashlib
import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from longtable.server.http import HttpApp
from tests.browser import SCRIPT, build_page, client_of, serving, signed_in
from tests.sse import request_of
from tests.stores import Store
from tests.table import open_table

pytestmark = pytest.mark.slow

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; manifest-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'; "
    "object-src 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)
EVERY_PAGE = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}


@pytest.fixture
async def console(tmp_path: Path) -> AsyncIterator[HttpApp]:
    """A server with auth off, whose page is built."""
    store = Store("sqlite", str(tmp_path / "data" / "longtable.db"))
    async with open_table(store, tmp_path) as table, serving(table, build_page(tmp_path / "static")) as http:
        yield http


@pytest.fixture
async def unbuilt(tmp_path: Path) -> AsyncIterator[HttpApp]:
    store = Store("sqlite", str(tmp_path / "data" / "longtable.db"))
    async with open_table(store, tmp_path) as table, serving(table, tmp_path / "nowhere") as http:
        yield http


async def status_of(http: HttpApp, target: str, **headers: str) -> int:
    async with request_of(http, "GET", target, headers) as answer:
        return answer.status


async def test_who_has_signed_in_gets_the_built_page_with_its_headers(console: HttpApp) -> None:
    async with signed_in(console) as browser:
        response = await browser.get("/")

    headers = {**EVERY_PAGE, "content-security-policy": POLICY, "referrer-policy": "no-referrer"}
    assert response.status_code == 200
    assert response.headers["content-type"] == "text/html; charset=utf-8"
    assert {name: response.headers[name] for name in headers} == headers
    assert "/assets/app-1.js" in response.text


async def test_without_a_login_there_is_the_page_to_sign_in(console: HttpApp) -> None:
    async with client_of(console) as client:
        response = await client.get("/")

    style = re.findall(r"<style>(.*?)</style>", response.text, re.DOTALL)[0]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; style-src 'sha256-{digest}'; img-src 'self'; form-action 'self'; "
        "frame-ancestors 'none'; base-uri 'none'"
    )
    headers = {**EVERY_PAGE, "content-security-policy": policy, "referrer-policy": "same-origin"}
    assert response.status_code == 401
    assert {name: response.headers[name] for name in headers} == headers
    assert "longtable console" in response.text


async def test_a_page_that_was_not_built_says_what_to_do(unbuilt: HttpApp) -> None:
    async with signed_in(unbuilt) as browser:
        response = await browser.get("/")

    assert response.status_code == 200
    assert "The console itself is not built" in response.text
    assert "make web" in response.text
    assert "unsafe-inline" not in response.headers["content-security-policy"]
    assert await status_of(unbuilt, "/favicon.svg") == 404
    assert await status_of(unbuilt, "/assets/app-1.js") == 404


@pytest.mark.parametrize(
    ("path", "media_type", "kept"),
    [
        ("/assets/app-1.js", "text/javascript; charset=utf-8", "public, max-age=31536000, immutable"),
        ("/assets/style-2.css", "text/css; charset=utf-8", "public, max-age=31536000, immutable"),
        ("/assets/font-3.woff2", "font/woff2", "public, max-age=31536000, immutable"),
        ("/favicon.svg", "image/svg+xml", "public, max-age=86400"),
        ("/manifest.webmanifest", "application/manifest+json", "public, max-age=86400"),
        ("/icon-192.png", "image/png", "public, max-age=86400"),
    ],
)
async def test_assets_are_open_and_kept_by_browsers(console: HttpApp, path: str, media_type: str, kept: str) -> None:
    async with client_of(console, **{"Accept-Encoding": "identity"}) as client:
        response = await client.get(path)

    assert response.status_code == 200
    assert response.headers["content-type"] == media_type
    assert response.headers["cache-control"] == kept
    assert response.headers["x-content-type-options"] == "nosniff"
    assert response.headers["cross-origin-resource-policy"] == "same-origin"


@pytest.mark.parametrize(
    ("accepted", "packed"),
    [
        ("gzip, deflate, br", True),
        ("GZIP;q=0.5", True),
        ("*", True),
        ("gzip;q=0", False),
        ("*;q=1, gzip;q=0.0", False),
        ("br", False),
        ("gzip;q=much", False),
        ("", False),
    ],
)
async def test_a_compressed_twin_is_sent_to_who_takes_it(console: HttpApp, accepted: str, packed: bool) -> None:
    async with request_of(console, "GET", "/assets/app-1.js", {"accept-encoding": accepted}) as answer:
        chunk = await answer.chunks.get()

    assert chunk is not None
    assert answer.headers.get("content-encoding") == ("gzip" if packed else None)
    assert answer.headers["vary"] == "Accept-Encoding"
    assert (gzip.decompress(chunk) if packed else chunk) == SCRIPT


@pytest.mark.parametrize(
    "target",
    [
        "/assets/..%2fsecret.txt",
        "/assets/..%2f..%2fdata%2flongtable.db",
        "/assets/%2e%2e/secret.txt",
        "/assets/%2e%2e%2fsecret.txt",
        "/assets/../secret.txt",
        "/assets/..%5csecret.txt",
        "/assets/..",
        "/assets/.",
        "/assets/",
        "/assets/app-1.js%00",
        "/assets//app-1.js",
        "/assets/app-1.js.gz",
        "/assets/APP-1.js",
        "/secret.txt",
        "/index.html",
        "/static/index.html",
    ],
)
async def test_no_name_leads_out_of_the_folder(console: HttpApp, target: str) -> None:
    assert await status_of(console, target) == 404


async def test_a_folder_that_is_open_opens_nothing_behind_it(tmp_path: Path) -> None:
    store = Store("sqlite", str(tmp_path / "data" / "longtable.db"))
    async with (
        open_table(store, tmp_path, auth_tokens="acme:acme-secret") as table,
        serving(table, build_page(tmp_path / "static")) as http,
    ):
        statuses = {
            target: await status_of(http, target)
            for target in ("/assets/app-1.js", "/assets/../sessions", "/assets/x/../../sessions", "/sessions", "/me")
        }

    assert statuses == {
        "/assets/app-1.js": 200,
        "/assets/../sessions": 401,
        "/assets/x/../../sessions": 401,
        "/sessions": 401,
        "/me": 401,
    }


async def test_assets_are_refused_under_a_foreign_host(console: HttpApp) -> None:
    assert await status_of(console, "/assets/app-1.js", host="evil.example") == 403


BROWSER = {"accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


@pytest.mark.parametrize("path", ["/now", "/sessions", "/sessions/sess_one/notes/n5?tag=a", "/gateway", "/audit/7"])
async def test_a_browser_gets_the_page_at_every_path_of_the_console(console: HttpApp, path: str) -> None:
    async with signed_in(console) as browser:
        response = await browser.get(path, **BROWSER)

    assert (response.status_code, response.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert "/assets/app-1.js" in response.text


async def test_programs_get_json_at_the_same_paths_and_downloads_their_file(console: HttpApp) -> None:
    async with signed_in(console) as browser:
        listed = await browser.get("/sessions", accept="application/json")
        exported = await browser.get("/audit/export", **BROWSER)

    assert listed.json()["ok"]
    assert "text/html" not in exported.headers["content-type"]


async def test_a_link_from_elsewhere_is_opened_once_more_by_our_own_page(console: HttpApp) -> None:
    """Browsers send the cookie of a login only to requests that begin at a page of ours."""
    async with client_of(console) as client:
        away = await client.get("/sessions/sess_one", headers={**BROWSER, "sec-fetch-site": "cross-site"})
        again = await client.get("/sessions/sess_one", headers={**BROWSER, "sec-fetch-site": "same-origin"})

    assert (away.status_code, '<meta http-equiv="refresh" content="0">' in away.text) == (200, True)
    assert (again.status_code, "refresh" in again.text) == (401, False)
