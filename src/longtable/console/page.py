"""The pages as text. Whatever an agent or a person wrote is escaped: it is data."""

import base64
import hashlib
from collections.abc import Sequence
from html import escape
from typing import NamedTuple
from urllib.parse import urlencode

from longtable.sessions.model import SessionView

_STYLE = """
:root { color-scheme: light dark; --ink: #1c1b1a; --paper: #fbfaf8; --line: #ddd8d0; --soft: #6d675f; --mark: #8a4b2a; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #eceae6; --paper: #1a1918; --line: #3a3733; --soft: #a29b91; --mark: #e0a37e; } }
body { margin: 0 auto; max-width: 60rem; padding: 2rem 1.25rem 4rem; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif; }
header { display: flex; justify-content: space-between; align-items: baseline; gap: 1rem; flex-wrap: wrap; }
h1 { font-size: 1.5rem; margin: 0; } h2 { font-size: 1.05rem; margin: 2.25rem 0 .5rem; }
p, td, th, li { max-width: 70ch; } .soft { color: var(--soft); }
table { width: 100%; border-collapse: collapse; } .wide { overflow-x: auto; }
th, td { text-align: left; padding: .45rem .75rem .45rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
th { font-weight: 600; font-size: .85rem; color: var(--soft); }
pre { background: color-mix(in srgb, var(--ink) 6%, transparent); padding: .75rem 1rem; border-radius: 6px;
  overflow-x: auto; margin: .25rem 0 1rem; }
code { font: .9em ui-monospace, monospace; } button { font: inherit; padding: .35rem .8rem; border-radius: 6px;
  border: 1px solid var(--line); background: none; color: inherit; cursor: pointer; }
a.button { display: inline-block; padding: .35rem .8rem; border-radius: 6px; border: 1px solid var(--line);
  color: inherit; text-decoration: none; }
input { font: inherit; padding: .35rem .6rem; border: 1px solid var(--line); border-radius: 6px; background: none;
  color: inherit; width: min(28rem, 100%); } .error { color: var(--mark); }
"""

STYLE_HASH = f"sha256-{base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()}"
"""By which the policy of a page lets in this one style and no other."""

_NOT_BUILT = """<p class="error" role="status">The console itself is not built, so this page shows only the sessions.
Install Node and npm, run <code>make web</code> in the source folder, and start the server again.</p>"""

_BACK = '<p><a href="/#/gateway">Back to the console</a></p>'

WRONG_LINK = "This link was used before, or it is too old."
WRONG_TOKEN = "This token does not count: it is mistyped, was revoked or has expired."
NOT_SIGNED_IN = "You are not signed in: the answer of the identity provider does not count here. Try again."


class SignInChoices(NamedTuple):
    """How people sign in: with a token, at an identity provider of this name, or by a link. A form without `action` is
    sent to where the page is, so that the part behind # is still there after signing in."""

    with_token: bool
    provider: str | None = None
    action: str | None = None
    then: str = "/"
    """Where to go after signing in."""


_LINK = """<p>Open the link that <code>longtable serve</code> printed when it started. It works once, for ten
        minutes. <code>longtable console</code> prints a new one.</p>"""


def sign_in(choices: SignInChoices, problem: str | None) -> str:
    alert = f'<p class="error" role="alert">{escape(problem)}</p>' if problem else ""
    how = f"{_at_provider(choices)}{_token_form(choices)}" if choices.with_token else _LINK
    return _page("Sign in", f"<header><h1>Longtable</h1></header><h2>Sign in</h2>{alert}{how}")


def _at_provider(choices: SignInChoices) -> str:
    if choices.provider is None:
        return ""
    then = "" if choices.then == "/" else f"?{urlencode({'then': choices.then})}"
    return f"""<p><a class="button" href="/login/oidc{escape(then)}">Sign in with {escape(choices.provider)}</a></p>
        <h2>Or with a token</h2>"""


def _token_form(choices: SignInChoices) -> str:
    action = choices.action if choices.then == "/" else "/login"
    sent_to = f' action="{action}"' if action else ""
    then = "" if choices.then == "/" else f'<input type="hidden" name="then" value="{escape(choices.then)}">'
    return f"""<form method="post"{sent_to}>{then}<p><label for="token">Token of the role human or owner</label><br>
        <input id="token" name="token" type="password" autocomplete="current-password" required></p>
        <button type="submit">Sign in</button></form>"""


def opening() -> str:
    """For a link from elsewhere: the browser sends the cookie of the login only when a page of ours leads here."""
    return _page("Opening", "<p>Opening the console…</p>", '<meta http-equiv="refresh" content="0">')


def signed_in(then: str) -> str:
    """Leads on by itself, to an address of this server."""
    text = f'<p>You are signed in.</p><p><a href="{escape(then)}">Go on to the console</a></p>'
    body = f"<header><h1>Longtable</h1></header><h2>Signed in</h2>{text}"
    return _page("Signed in", body, f'<meta http-equiv="refresh" content="0; url={escape(then)}">')


def connected(upstream: str) -> str:
    text = f"<p>{escape(upstream)} is connected. Its tools can be used now.</p>"
    return _page("Connected", f"<header><h1>Longtable</h1></header><h2>Connected</h2>{text}{_BACK}")


def not_connected(problem: str) -> str:
    alert = f'<p class="error" role="alert">{escape(problem)}</p>'
    return _page("Not connected", f"<header><h1>Longtable</h1></header><h2>Not connected</h2>{alert}{_BACK}")


def home(name: str, sessions: Sequence[SessionView], mcp_address: str, csrf: str) -> str:
    """Shown instead of the console where it was not built."""
    rows = "".join(_row(session) for session in sessions)
    table = (
        f"""<div class="wide"><table><thead><tr><th>Purpose</th><th>Session</th><th>Status</th><th>Created by</th>
        <th>Expires</th></tr></thead><tbody>{rows}</tbody></table></div>"""
        if sessions
        else """<p class="soft">No session yet. Connect an agent as shown below: its first note creates one.</p>"""
    )
    return _page(
        "Tables",
        f"""<header><h1>Longtable</h1><form method="post" action="/logout">
        <input type="hidden" name="csrf" value="{escape(csrf)}"><span class="soft">{escape(name)}</span>
        <button type="submit">Sign out</button></form></header>
        {_NOT_BUILT}<h2>Sessions</h2>{table}<h2>Connect an agent</h2>{_connect(mcp_address)}""",
    )


def _row(session: SessionView) -> str:
    cells = (session.purpose or "(no purpose given)", session.session_id, session.status, session.created_by)
    plain = "".join(f"<td>{escape(cell)}</td>" for cell in cells)
    return f"<tr>{plain}<td>{escape(session.expires_at[:16].replace('T', ' '))} UTC</td></tr>"


def _connect(address: str) -> str:
    snippets = {
        "Claude Code": f"claude mcp add --transport http longtable {address}",
        "Cursor, in .cursor/mcp.json": f'{{"mcpServers": {{"longtable": {{"url": "{address}"}}}}}}',
        "VS Code, in .vscode/mcp.json": f'{{"servers": {{"longtable": {{"type": "http", "url": "{address}"}}}}}}',
        "Clients that start a process": '{"mcpServers": {"longtable": {"command": "longtable"}}}',
    }
    return "".join(f"<p>{escape(name)}</p><pre><code>{escape(text)}</code></pre>" for name, text in snippets.items())


def _page(title: str, body: str, head: str = "") -> str:
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)} - Longtable</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<link rel="icon" type="image/svg+xml" href="/favicon.svg"><style>{_STYLE}</style>{head}</head>'
        f"<body>{body}</body></html>"
    )
