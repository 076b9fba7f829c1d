"""Checks CSS with lightningcss, after a search for what that mends in silence: open comments, strings and brackets, and
declarations that run into each other."""

import re
from collections.abc import Iterator

import lightningcss

from longtable.checkers.findings import ENOUGH, Finding, Report
from longtable.checkers.positions import Lines, encodable, without_mark

CHECKER = "lightningcss"
_DEEPEST = 100
"""Levels; the parser recurses in native code."""
_OPAQUE = re.compile(
    r"""(?P<closed>/\*(?:[^*]|\*(?!/))*+\*/|"(?:[^"\\\n\r\f]|\\(?:\r\n|.))*+"|'(?:[^'\\\n\r\f]|\\(?:\r\n|.))*+'
    |\burl\(\s*+(?!["'\s])(?:[^)\\"'(\s]|\\.)*+\s*+\)|\\.)|(?P<comment>/\*)|(?P<string>["'])""",
    re.VERBOSE | re.DOTALL | re.IGNORECASE,
)
"""Comments, strings and addresses, in which brackets mean nothing; or the beginning of one that is never closed."""
_BRACKET = re.compile(r"[][(){}]")
_OPENERS = {")": "(", "]": "[", "}": "{"}
_NAME = r"(?:(?<=\{)|(?<=;))\s*+(?!--|(?:-ms-)?filter\b)[*_]?[A-Za-z-][\w-]*+\s*+:"
_SUSPICIOUS = (
    (
        re.compile(rf"{_NAME}(?:[^:;{{}}()]|\([^()]*+\))*+(?P<at>:)[^;{{}}]*+[;}}]"),
        "A second ':'; a ';' may be missing",
    ),
    (re.compile(rf"{_NAME}(?<=(?P<at>:))\s*+[;}}]"), "This property has no value"),
    (re.compile(r"(?:(?<=[{};])|^)\s*+[\d.]+\s*(?P<at>\{)"), "A number is no selector; a '%' may be missing"),
)
_FLAGS = lightningcss.calc_parser_flags(nesting=True, custom_media=True, deep_selector_combinator=True)
_AT = re.compile(r"(?s)^(?:Parsing stylesheet failed: )?(.*) at [^\n]*?:(\d+):(\d+)$")
_IMPORT = re.compile(r"(@import\s+(?:url\()?(?:\"[^\"\n]*\"|'[^'\n]*')\)?)([^;{}]*);", re.IGNORECASE)
_OF_TAILWIND = re.compile(r"(?:source|prefix|theme)\([^()]*\)|\bimportant\b")
_MOZILLA = re.compile(r"@-moz-document\b[^{};]*(?=\{)", re.IGNORECASE)
# Written for old browsers and passed over by all others. Each is replaced by blanks, so that places stay.
_HACKS = re.compile(
    r"(?<=[{;])(?P<before>\s*)\*(?=[a-zA-Z-]+\s*:)|(?<=:)\s*progid:[^;}]*|!ie\d?\b|(?<=[\d\w%])\\[09](?:/(?=[;)]))?"
)


def check(text: str) -> Report:
    plain = encodable(without_mark(text))
    report = Report(checker=CHECKER)
    lines = Lines(plain)
    for message, offset in sorted(scan(plain), key=lambda fault: fault[1])[:ENOUGH]:
        line, column = lines.position(offset)
        report.errors.append(Finding(message, line=line, column=column))
    if not report.errors:
        _parse(plain, report)
    return report


def scan(text: str) -> Iterator[tuple[str, int]]:
    """Messages and offsets."""
    for found in _OPAQUE.finditer(text):
        if not found["closed"]:
            what = "comment is not closed by */" if found["comment"] else "string is not closed on its line"
            yield f"This {what}", found.start()
            return
    plain = _OPAQUE.sub(_masked, text)
    unbalanced = _unbalanced(plain)
    if unbalanced is not None:
        yield unbalanced
        return
    for pattern, message in _SUSPICIOUS:
        yield from ((message, found.start("at")) for found in pattern.finditer(plain))


def _unbalanced(plain: str) -> tuple[str, int] | None:
    opened: list[tuple[str, int]] = []
    for found in _BRACKET.finditer(plain):
        sign = found.group()
        if sign not in _OPENERS:
            opened.append((sign, found.start()))
        elif not opened:
            return f"'{sign}' closes nothing", found.start()
        elif opened[-1][0] != _OPENERS[sign]:
            opener, start = opened[-1]
            return f"'{opener}' is not closed before this '{sign}'", start if opener in "([" else found.start()
        else:
            opened.pop()
    return (f"'{opened[-1][0]}' is not closed", opened[-1][1]) if opened else None


def _deepest(text: str) -> int:
    depth = most = 0
    for found in _BRACKET.finditer(text):
        depth += -1 if found.group() in _OPENERS else 1
        most = max(most, depth)
    return most


def _parse(text: str, report: Report) -> None:
    if _deepest(text) > _DEEPEST:
        report.warnings.append(Finding("Nested too deeply to be checked", code="CHECKER_FAILED"))
        return
    try:
        plain = _IMPORT.sub(_without_options, _MOZILLA.sub(_for_all, _HACKS.sub(_blanks, text)))
        lightningcss.process_stylesheet(plain, parser_flags=_FLAGS, minify=False)
    except ValueError as error:
        report.errors.append(_finding(str(error)))


def _masked(found: re.Match[str]) -> str:
    sign = " " if found.group().startswith("/*") else "x"
    return re.sub(r"[^\n]", sign, found.group())


def _without_options(match: re.Match[str]) -> str:
    """Tailwind has some of its own behind the address."""
    return match.group(1) + _OF_TAILWIND.sub(lambda option: " " * len(option.group()), match.group(2)) + ";"


def _for_all(match: re.Match[str]) -> str:
    """User styles name their pages by a rule that the parser knows only in part."""
    rule = "@media all"
    return rule + re.sub(r"[^\n]", " ", match.group()[len(rule) :])


def _blanks(match: re.Match[str]) -> str:
    if match.group().startswith(("progid", " progid")):
        return "x".ljust(len(match.group()))
    return (match.group("before") or "") + " " * (len(match.group()) - len(match.group("before") or ""))


def _finding(message: str) -> Finding:
    match = _AT.match(message)
    if match is None:
        return Finding(message)
    line, column = int(match.group(2)) + 1, int(match.group(3))
    return Finding(match.group(1), line=line, column=column)
