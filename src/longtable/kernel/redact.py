"""Removes secrets from a user's text before it is stored or forwarded."""

import re

_SECRETS = (
    re.compile(r"(?i)\b(authorization\s*[:=]\s*)(?:bearer\s+|basic\s+)?\S+"),
    re.compile(r"(?i)\b(bearer\s+)[A-Za-z0-9._~+/=-]{8,}"),
    re.compile(
        r"(?i)\b((?:api[_-]?key|access[_-]?key|secret|token|passwd|password|pwd|private[_-]?key)\b[\"']?\s*"
        r"(?:[:=]|\bis\b)\s*)[\"']?[^\s\"',;]{4,}"
    ),
    re.compile(
        r"()\b(?:sk|pk|rk|ghp|gho|ghu|ghs|ghr|github_pat|glpat|xox[abprs]|AKIA|ASIA|AIza|lt)[-_]?[A-Za-z0-9_-]{12,}"
    ),
    re.compile(r"()\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*"),
    re.compile(r"()-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)"),
    re.compile(r"(\b[a-z][a-z0-9+.-]*://[^\s/:@]+:)[^\s/@]+(?=@)"),
)


def without_secrets(text: str) -> str:
    for pattern in _SECRETS:
        text = pattern.sub(r"\1[redacted]", text)
    return text
