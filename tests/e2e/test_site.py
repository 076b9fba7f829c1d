"""The documentation site: it builds without a warning, no link in it is dead, it asks no other server for anything, and
models find their way."""

import functools
import json
import re
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from scripts import navigation, site
from scripts.site_links import PageLinks, dead_links, links_of
from tests.console.chromium import chromium

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (site.TOOL / ".installed").exists(), reason="make site-tool installs what builds the site"),
]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    (folder / "0.0").mkdir()
    return site.build(folder, tmp_path_factory.mktemp("source"))


@pytest.fixture(scope="module")
def links(built: Path) -> dict[Path, PageLinks]:
    return links_of(built)


def test_every_page_of_the_documentation_is_in_the_navigation_once() -> None:
    places = [page.place for page in navigation.pages()]
    written = [path for path in navigation.DOCS.rglob("*.md") if "images" not in path.parts]

    assert sorted(set(places)) == sorted(places)
    assert [path for path in written if navigation.DocumentPage(path).place not in places] == []


def test_no_link_is_dead(links: dict[Path, PageLinks]) -> None:
    assert dead_links(links) == []
    assert len(links) > len(navigation.pages())


def test_a_link_to_no_page_and_one_to_no_anchor_are_found(tmp_path: Path) -> None:
    page = tmp_path / "a.html"
    page.write_text('<a href="b.html">b</a> <a href="#c">c</a> <a href="#d">d</a> <p id="d"> <a href="https://e">e</a>')

    assert dead_links(links_of(tmp_path)) == [f"{page} -> b.html", f"{page} -> #c"]


def test_nothing_is_loaded_from_elsewhere(links: dict[Path, PageLinks]) -> None:
    assert {each for found in links.values() for each in found.loaded if urlsplit(each).netloc} == set()


def test_models_find_an_index_and_the_whole_text(built: Path) -> None:
    index = (built / "llms.txt").read_text("utf-8")
    everything = (built / "llms-full.txt").read_text("utf-8")
    named = re.findall(r"\]\(([^)]+)\)", index)

    assert [name for name in named if not (built / name).is_file()] == []
    assert "# Tools" in everything
    assert (built / "tutorial.md").read_text("utf-8") in everything + "\n"


def test_versions_lie_beside_each_other_and_the_newest_is_shown_first(built: Path) -> None:
    listed = json.loads((built.parent / "versions.json").read_text("utf-8"))

    assert [(each["version"], each["aliases"]) for each in listed] == [(site.VERSION, ["latest"]), ("0.0", [])]
    assert f"{site.VERSION}/index.html" in (built.parent / "index.html").read_text("utf-8")


class QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(scope="module")
def address(built: Path) -> Iterator[str]:
    handler = functools.partial(QuietHandler, directory=str(built.parent))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_a_reader_finds_a_page_by_its_words_in_the_dark_and_no_other_server_is_asked(address: str) -> None:
    with chromium() as browser:
        page = browser.new_page(color_scheme="dark")
        requests: list[str] = []
        page.on("request", lambda request: requests.append(request.url))
        page.goto(f"{address}/")
        expect(page).to_have_title(re.compile("Longtable"))
        expect(page.locator("body")).to_have_attribute("data-md-color-scheme", "slate")
        expect(page.get_by_role("button", name="Select version")).to_be_visible()

        page.get_by_role("button", name="Search").click()
        page.get_by_role("combobox").fill("human secret")
        page.get_by_role("option", name="longtable human-secret", exact=True).click()

        expect(page).to_have_url(re.compile(r"/reference/cli\.html"))
    assert [url for url in requests if not url.startswith((address, "data:", "blob:"))] == []
