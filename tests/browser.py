"""A browser at the console in the test's process, and a built page that is small enough to read."""

import gzip
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

from longtable.app import App
from longtable.identity.logins import csrf_token
from longtable.identity.model import Credential
from longtable.kernel.caller import Role
from longtable.server.http import HttpApp
from tests.table import ADDRESS, Table

INDEX = '<!doctype html><title>Longtable</title><script type="module" src="/assets/app-1.js">'
SCRIPT = b"document.title = 'Longtable';\n" * 40


def build_page(folder: Path) -> Path:
    """What a build of the console leaves behind."""
    assets = folder / "assets"
    assets.mkdir(parents=True)
    (folder / "index.html").write_text(INDEX, "utf-8")
    (folder / "favicon.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'/>", "utf-8")
    (folder / "manifest.webmanifest").write_text('{"name": "Longtable"}', "utf-8")
    (folder / "icon-192.png").write_bytes(b"\x89PNG")
    (assets / "app-1.js").write_bytes(SCRIPT)
    (assets / "app-1.js.gz").write_bytes(gzip.compress(SCRIPT))
    (assets / "style-2.css").write_text("body { margin: 0; }", "utf-8")
    (assets / "font-3.woff2").write_bytes(b"wOF2")
    (folder / "secret.txt").write_text("not for the world", "utf-8")
    return folder


@asynccontextmanager
async def serving(table: Table, static: Path) -> AsyncIterator[HttpApp]:
    """The same application at an address of its own, with the page of this folder."""
    http = HttpApp(table.app, static=static)
    async with http.running():
        yield http


@dataclass
class Browser:
    """Keeps a cookie, and sends what a page of ours would."""

    client: httpx2.AsyncClient
    cookie: str

    @property
    def signed(self) -> dict[str, str]:
        """The headers of a change."""
        return {"Origin": ADDRESS, "X-CSRF-Token": csrf_token(self.cookie)}

    async def get(self, path: str, **headers: str) -> httpx2.Response:
        return await self.client.get(path, headers={name.replace("_", "-"): text for name, text in headers.items()})

    async def post(self, path: str, body: Any = None, **headers: str) -> httpx2.Response:
        return await self.client.post(path, json=body, headers={**self.signed, **headers})

    async def delete(self, path: str) -> httpx2.Response:
        return await self.client.delete(path, headers=self.signed)


def client_of(http: HttpApp, **headers: str) -> httpx2.AsyncClient:
    return httpx2.AsyncClient(transport=httpx2.ASGITransport(http), base_url=ADDRESS, headers=headers)


@asynccontextmanager
async def signed_in(http: HttpApp, credential: Credential | None = None) -> AsyncIterator[Browser]:
    """With auth off by a link, which makes an owner; else as the bearer of a person's token."""
    logins = http.app.logins
    if credential is None:
        cookie = await logins.redeem(await logins.new_link_secret())
    else:
        cookie = await logins.log_in(credential)
    name = http.authenticator.cookie_name
    async with client_of(http, Cookie=f"{name}={cookie}") as client:
        yield Browser(client, cookie)


async def bearer(app: App, role: Role, tenant: str = "acme", name: str | None = None) -> str:
    """The secret of a token."""
    credential = Credential(tenant, role, name or f"{tenant}-{role}")
    return (await app.tokens.create(credential, None)).secret


async def audited(app: App, tenant: str, operation: str) -> list[dict[str, Any]]:
    await app.ledger.flush()
    rows = await app.database.read(tenant, lambda tx: tx.all("SELECT * FROM audit WHERE tenant = :tenant ORDER BY seq"))
    return [dict(row) for row in rows if row["operation"] == operation]
