"""The page that hosts of MCP Apps show beside a brief, and what they are sent with it. It holds no data of its own: the
host hands it the result of the tool, and reads resources for it."""

import base64
import hashlib
from collections.abc import Mapping
from functools import cache
from html import escape
from importlib.resources import files
from typing import Any, Final

from longtable import __version__

EXTENSION: Final = "io.modelcontextprotocol/ui"
MIME_TYPE: Final = "text/html;profile=mcp-app"
URI: Final = "ui://longtable/table"
TOOL: Final = "brief"
TOOL_META: Final = {"ui": {"resourceUri": URI}}
"""Stands at the tool in the lists of those hosts, and in no other list."""

RESOURCE: Final = {
    "uri": URI,
    "name": "table",
    "title": "Table",
    "description": "The session's plan and open questions, as a page.",
    "mimeType": MIME_TYPE,
}
CONTENTS: Final = {"uri": URI, "mimeType": MIME_TYPE, "_meta": {"ui": {"csp": {}, "prefersBorder": True}}}
"""No host is named in it: the page loads nothing and connects to nothing."""


def shows_apps(capabilities: Mapping[str, Any] | None) -> bool:
    """Whether a client has declared that it shows such pages."""
    extensions = (capabilities or {}).get("extensions")
    settings = extensions.get(EXTENSION) if isinstance(extensions, Mapping) else None
    shown = settings.get("mimeTypes") if isinstance(settings, Mapping) else None
    return isinstance(shown, list | tuple) and MIME_TYPE in shown


def table_page(console: str | None) -> str:
    """`console` is where the console is; without it the page has no link."""
    return _template().replace("{{console}}", escape(console or "", quote=True))


@cache
def _template() -> str:
    page, style, script = (_asset(name) for name in ("table.html", "table.css", "table.js"))
    policy = (
        f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; base-uri 'none'; "
        "form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    )
    filled = page.replace("{{policy}}", escape(policy, quote=False)).replace("{{version}}", escape(__version__))
    return filled.replace("{{style}}", style).replace("{{script}}", script)


def _asset(name: str) -> str:
    return (files(__package__) / name).read_text("utf-8")


def _digest(text: str) -> str:
    """By which a policy lets in this one text and no other."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
