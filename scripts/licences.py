"""The page of licences: of every package that the server runs with, and of every one in the console's page. A licence
that is not among those we accept is an error."""

import json
import re
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
ACCEPTED: Final = (
    *("MIT", "BSD", "Apache", "ISC", "PSF", "Python Software Foundation", "MPL", "Mozilla Public", "Unlicense"),
    *("0BSD", "Zlib", "HPND", "CC0", "BlueOak"),
)
_PINNED: Final = re.compile(r"^([A-Za-z0-9._-]+)==\S+(?: ; (.+?))? \\$", re.MULTILINE)
_NAMES: Final = {"The MIT License (MIT)": "MIT", "MIT License": "MIT", "Apache Software License": "Apache-2.0"}
_ELSEWHERE: Final = {
    "colorama": "BSD-3-Clause",
    "httpx2-jsfetch": "BSD-3-Clause",
    "pywin32": "PSF-2.0",
    "tzdata": "Apache-2.0",
    "uvloop": "MIT OR Apache-2.0",
}
"""Of packages that are not installed on every system."""


_INTRODUCTION: Final = """\
# Licences

What Longtable is made of, and under which terms. `make sbom` writes the same with versions and digests as two CycloneDX
files, of the server and of the console, into `dist/`.
"""


def sections() -> Iterator[str]:
    yield _INTRODUCTION
    for title, licences in (("The server", python_licences()), ("The console", console_licences())):
        if wrong := list(refused(licences)):
            raise ValueError(f"licences that are not accepted: {', '.join(wrong)}")
        yield f"## {title}\n"
        yield _table(licences)


def python_licences() -> dict[str, str]:
    return {name: _licence(name) for name, _ in _PINNED.findall((ROOT / "requirements.lock").read_text())}


def console_licences() -> dict[str, str]:
    """Of what is built into the page, without what only builds or tests it."""
    packages = json.loads((ROOT / "web" / "package-lock.json").read_text())["packages"]
    found = {
        place.rpartition("node_modules/")[2]: package.get("license", "")
        for place, package in packages.items()
        if place and not package.get("dev") and not package.get("optional")
    }
    return dict(sorted(found.items()))


def refused(licences: dict[str, str]) -> Iterator[str]:
    for name, licence in licences.items():
        if not any(accepted.lower() in licence.lower() for accepted in ACCEPTED):
            yield f"{name}: {licence or 'no licence is stated'}"


def _licence(name: str) -> str:
    if name in _ELSEWHERE:
        return _ELSEWHERE[name]
    try:
        stated = metadata(name)
    except PackageNotFoundError:
        return ""
    classified = [each.rpartition(" :: ")[2] for each in stated.get_all("Classifier", []) if each.startswith("License")]
    named = [*stated.get_all("License-Expression", []), " AND ".join(classified), *stated.get_all("License", [])]
    # Some packages state the whole text.
    first = next((each for each in named if each), "").strip().partition("\n")[0]
    return _NAMES.get(first, first)


def _table(licences: dict[str, str]) -> str:
    lines = ["| package | licence |", "|---|---|", *(f"| {name} | {licence} |" for name, licence in licences.items())]
    return "\n".join(lines) + "\n"
