"""Compares the lock files with the advisories that the package index knows of. They are kept in `advisories.json`, so
that the comparison needs no network; `--update` asks the index of pip's configuration anew.

An affected version fails, unless `explained` in that file says by an id of the advisory why it does no harm."""

import json
import os
import re
import subprocess
import sys
import urllib.request
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final
from urllib.error import HTTPError

ROOT: Final = Path(__file__).resolve().parent.parent
KNOWN: Final = ROOT / "scripts" / "advisories.json"
LOCKS: Final = ("requirements.lock", "requirements-dev.lock", "clients/python/requirements.lock")
_PINNED: Final = re.compile(r"^([A-Za-z0-9._-]+==[^\s;]+)", re.MULTILINE)
_INDEX: Final = re.compile(r"--index-url\b.*?\(default (\S+?)/simple/?\)", re.DOTALL)

Json = dict[str, Any]


def pins() -> list[str]:
    """`name==version` of everything that is locked."""
    return sorted({pin for lock in LOCKS for pin in _PINNED.findall((ROOT / lock).read_text("utf-8"))})


def known() -> Json:
    found: Json = json.loads(KNOWN.read_text("utf-8"))
    return found


def problems(pinned: Iterable[str], stored: Json) -> Iterator[str]:
    """What must be changed or explained."""
    for pin in pinned:
        if pin not in stored["packages"]:
            yield f"{pin} was not compared: run `make advisories`"
        for advisory in stored["packages"].get(pin) or ():
            if not {advisory["id"], *advisory["aliases"]} & set(stored["explained"]):
                fixed = ", ".join(advisory["fixed_in"]) or "no version yet"
                yield f"{pin} has {advisory['id']}, fixed in {fixed}"


def not_told(stored: Json) -> list[str]:
    """Versions of which the index has said nothing."""
    return [pin for pin, advisories in stored["packages"].items() if advisories is None]


def index() -> str:
    """The address of the index, without the part that installers use."""
    pip = [sys.executable, "-m", "pip", "download", "--help"]
    told = subprocess.run(pip, env={**os.environ, "COLUMNS": "500"}, check=True, capture_output=True, text=True)
    found = _INDEX.search(told.stdout)
    if found is None:
        raise SystemExit("pip names no index that ends with /simple.")
    return found[1]


def advisories_of(address: str, pin: str) -> list[Json] | None:
    """Those of one version. Where the index has no page for it, the page of the package is about its newest one."""
    name, _, version = pin.partition("==")
    for path in (f"{name}/{version}", name):
        page = _page(f"{address}/pypi/{path}/json")
        if page is not None and page["info"]["version"] == version:
            return [_facts(each) for each in page.get("vulnerabilities", ()) if not each.get("withdrawn")]
    return None


def _page(address: str) -> Json | None:
    try:
        with urllib.request.urlopen(address, timeout=60) as answer:
            page: Json = json.load(answer)
            return page
    except HTTPError as error:
        if error.code != 404:
            raise
        return None


def _facts(advisory: Json) -> Json:
    return {name: advisory[name] for name in ("id", "aliases", "fixed_in")}


def update() -> None:
    address, pinned = index(), pins()
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda pin: advisories_of(address, pin), pinned))
    explained = known()["explained"] if KNOWN.exists() else {}
    stored = {
        "checked": datetime.now(UTC).date().isoformat(),
        "explained": explained,
        "packages": dict(zip(pinned, found, strict=True)),
    }
    KNOWN.write_text(json.dumps(stored, indent=1) + "\n", "utf-8")


def main() -> None:
    if "--update" in sys.argv[1:]:
        update()
    stored = known()
    silent = not_told(stored)
    print(f"{len(stored['packages'])} versions, compared on {stored['checked']}; of {len(silent)} nothing is known.")
    print(*(f"  nothing is known of {pin}" for pin in silent), sep="\n")
    if wrong := list(problems(pins(), stored)):
        raise SystemExit("\n".join(wrong))


if __name__ == "__main__":
    main()
