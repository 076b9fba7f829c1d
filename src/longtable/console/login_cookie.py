"""The cookie of a browser that has signed in, and the one of a browser that is to come back by a link."""

from typing import Final
from urllib.parse import quote, unquote

from starlette.requests import Request
from starlette.responses import Response

from longtable.console.addresses import own_address
from longtable.identity.logins import LOGIN_LIFETIME
from longtable.kernel.clock import SECOND

_ASKED_FOR: Final = 600
"""Seconds for which the page that somebody asked for is remembered: as long as a link works."""


def set_login_cookie(request: Request, response: Response, name: str, cookie: str) -> None:
    response.set_cookie(
        name,
        cookie,
        max_age=LOGIN_LIFETIME // SECOND,
        httponly=True,
        samesite="strict",
        secure=request.url.scheme == "https",
    )


def remember_asked(request: Request, response: Response, name: str, address: str) -> None:
    """Signing in by a link leads there: the link itself knows nothing of it."""
    if address == "/":
        return
    secure = request.url.scheme == "https"
    response.set_cookie(
        f"{name}_asked", quote(address), max_age=_ASKED_FOR, httponly=True, samesite="lax", secure=secure
    )


def asked_before(request: Request, name: str) -> str:
    return own_address(unquote(request.cookies.get(f"{name}_asked", "/")))


def forget_asked(request: Request, response: Response, name: str) -> None:
    if f"{name}_asked" in request.cookies:
        response.delete_cookie(f"{name}_asked")
