"""What a browser loads before it shows anything: little, all of it ours, and nothing that points elsewhere."""

import gzip
import re

import pytest

from tests.console.console_server import BUILT, need_built_page

ASSETS = BUILT.parent / "assets"
MOST_BYTES = 450_000
NAMESPACES = "http://www.w3.org/"
TOLD = (
    "https://react.dev/errors/",
    "https://github.com/highlightjs/highlight.js/",
    "https://github.com/syntax-tree/hast-util-to-jsx-runtime",
)
"""Where the messages of libraries tell a programmer to read on; nothing is fetched from there."""


@pytest.fixture(autouse=True)
def built() -> None:
    need_built_page()


def texts() -> dict[str, str]:
    """All scripts and styles of the page by name."""
    return {path.name: path.read_text("utf-8") for path in sorted(ASSETS.iterdir()) if path.suffix in (".js", ".css")}


def test_all_scripts_and_styles_together_are_at_most_450_kb_on_the_wire() -> None:
    sizes = {name: len(gzip.compress(text.encode(), 9)) for name, text in texts().items()}

    print(f"{sum(sizes.values())} bytes in {len(sizes)} files")
    assert sizes
    assert sum(sizes.values()) <= MOST_BYTES, sizes


def test_the_page_itself_holds_no_script_and_no_style() -> None:
    page = BUILT.read_text("utf-8")

    assert re.findall(r"<script(?![^>]*\ssrc=)", page) == []
    assert re.findall(r"<script[^>]*>\s*[^\s<]", page) == []
    assert re.findall(r"<style|\sstyle=|\son[a-z]+=|javascript:", page) == []
    assert all(address.startswith("/") for address in re.findall(r'(?:src|href)="([^"]*)"', page))


def test_nothing_in_it_names_another_host() -> None:
    found = {
        (name, address)
        for name, text in texts().items()
        for address in re.findall(r"https?://[A-Za-z0-9.-]*[A-Za-z0-9][^\s\"'`<>()\\]*", text)
        if not address.startswith((NAMESPACES, *TOLD))
    }

    assert found == set()
    assert [name for name, text in texts().items() if name.endswith(".css") and re.search(r"url\(|@import", text)] == []


def test_no_source_maps_are_shipped() -> None:
    names = [path.name for path in BUILT.parent.rglob("*") if path.is_file()]

    assert [name for name in names if ".map" in name] == []
    assert [name for name, text in texts().items() if "sourceMappingURL" in text] == []


def test_every_asset_has_a_compressed_twin_with_the_same_content() -> None:
    plain = [path for path in ASSETS.iterdir() if path.suffix != ".gz"]

    for path in plain:
        assert gzip.decompress(path.with_name(path.name + ".gz").read_bytes()) == path.read_bytes()
