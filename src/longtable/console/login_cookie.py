"""The cookie of a browser that has signed in."""

from starlette.requests import Request
from starlette.responses import Response

from longtable.identity.logins import LOGIN_LIFETIME
from longtable.kernel.clock import SECOND


def set_login_cookie(request: Request, response: Response, name: str, cookie: str) -> None:
    response.set_cookie(
        name,
        cookie,
        max_age=LOGIN_LIFETIME // SECOND,
        httponly=True,
        samesite="strict",
        secure=request.url.scheme == "https",
    )
