"""Security headers of our pages."""

from longtable.console.page import STYLE_HASH

SAFE = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}

RENDERED = {
    **SAFE,
    "Content-Security-Policy": f"default-src 'none'; style-src '{STYLE_HASH}'; img-src 'self'; form-action 'self'; "
    "frame-ancestors 'none'; base-uri 'none'",
    # Not no-referrer, under which a browser sends the forms of a page with the Origin "null".
    "Referrer-Policy": "same-origin",
}
"""The policy of pages that are rendered here: they need no script."""

BUILT = {
    **SAFE,
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "font-src 'self'; connect-src 'self'; manifest-src 'self'; form-action 'self'; frame-ancestors 'none'; "
    "base-uri 'none'; object-src 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
    "Referrer-Policy": "no-referrer",
}
"""The policy of the built page: it loads nothing but its own files, and no text becomes script or markup."""
