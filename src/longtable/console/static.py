"""The built page and what it loads: one folder, read once, served by exact name."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from starlette.datastructures import Headers
from starlette.responses import Response

from longtable.kernel.accept_encoding import accepts_gzip

STATIC = Path(__file__).parent / "static"
"""Where the build of `web/` leaves the page."""

ICONS = ("favicon.svg", "icon-192.png", "icon-512.png", "icon-maskable.png", "manifest.webmanifest")
"""Beside the page, under names that do not change: with them it can be installed."""

_PACKED = ".gz"
_FOR_A_DAY = "public, max-age=86400"
_FOREVER = "public, max-age=31536000, immutable"
_MEDIA_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".ico": "image/x-icon",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".map": "application/json",
    ".mjs": "text/javascript; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".wasm": "application/wasm",
    ".webmanifest": "application/manifest+json",
    ".webp": "image/webp",
    ".woff": "font/woff",
    ".woff2": "font/woff2",
}


@dataclass(frozen=True, slots=True)
class _StaticFile:
    """`packed` is the same, compressed, where the build left it so."""

    name: str
    content: bytes
    packed: bytes | None

    def reply(self, headers: Headers, kept: str) -> Response:
        reply_headers = {
            "Cache-Control": kept,
            "X-Content-Type-Options": "nosniff",
            "Cross-Origin-Resource-Policy": "same-origin",
            "Content-Type": _MEDIA_TYPES.get(Path(self.name).suffix, "application/octet-stream"),
        }
        if self.packed is None:
            return Response(self.content, headers=reply_headers)
        reply_headers["Vary"] = "Accept-Encoding"
        if not accepts_gzip(headers.raw):
            return Response(self.content, headers=reply_headers)
        return Response(self.packed, headers={**reply_headers, "Content-Encoding": "gzip"})


class BuiltPage:
    """The folder as it was at the first request. What is not in its listing does not exist, so no name leads out."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @cached_property
    def _top(self) -> dict[str, _StaticFile]:
        return _files(self._folder)

    @cached_property
    def _assets(self) -> dict[str, _StaticFile]:
        return _files(self._folder / "assets")

    @property
    def exists(self) -> bool:
        return "index.html" in self._top

    @property
    def index(self) -> bytes:
        return self._top["index.html"].content

    def asset(self, name: str, headers: Headers) -> Response | None:
        file = self._assets.get(name)
        return file.reply(headers, _FOREVER) if file else None

    def icon(self, name: str, headers: Headers) -> Response | None:
        """An icon, or the manifest that names them."""
        file = self._top.get(name)
        return file.reply(headers, _FOR_A_DAY) if file else None


def _files(folder: Path) -> dict[str, _StaticFile]:
    if not folder.is_dir():
        return {}
    contents = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    return {
        name: _StaticFile(name, content, contents.get(name + _PACKED))
        for name, content in contents.items()
        if not name.endswith(_PACKED)
    }
