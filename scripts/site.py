"""Builds the documentation site: gathers its pages, has Zensical render them, and adds what programs read."""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from longtable import __version__
from scripts.navigation import DOCS, ROOT, DocumentPage, SiteSection, llms_index, pages, sections
from scripts.site_links import dead_links, links_of

TOOL = ROOT / ".tools" / "site"
SITE = ROOT / "build" / "site"
VERSION = ".".join(__version__.split(".")[:2])
_LOOKS = ROOT / "scripts" / "site.toml"
_ASSETS = {"site.css": ROOT / "scripts" / "site.css", "logo.svg": ROOT / "web" / "public" / "favicon.svg"}
_CODE = re.compile(r"(^```.*?^```$|`[^`\n]+`)", re.DOTALL | re.MULTILINE)
_TARGET = re.compile(r"(?<=\]\()([^)\s#]+)(?=[)#\s])|(?<=src=\")([^\"]+)(?=\")")
_ELSEWHERE = re.compile(r"[a-z]+:|//|#")
_VERSION_FOLDER = re.compile(r"\d+\.\d+")


class Gathered:
    """The pages of the navigation and all that they link to, each at its place below one folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._places = {page.path: page.place for page in pages()}
        self._waiting = list(self._places)

    def write(self) -> None:
        while self._waiting:
            self._write(self._waiting.pop())

    def _write(self, path: Path) -> None:
        target = self._folder / self._places[path]
        target.parent.mkdir(parents=True, exist_ok=True)
        if path.is_dir():
            target.write_text(self._listing(path), "utf-8")
        elif path.suffix == ".md":
            target.write_text(self._relinked(path), "utf-8")
        else:
            shutil.copyfile(path, target)

    def _relinked(self, page: Path) -> str:
        parts = _CODE.split(page.read_text("utf-8"))
        return "".join(
            part if number % 2 else _TARGET.sub(lambda found: self._link(page, found[0]), part)
            for number, part in enumerate(parts)
        )

    def _link(self, page: Path, target: str) -> str:
        if _ELSEWHERE.match(target):
            return target
        place = self._place((page.parent / target).resolve())
        return os.path.relpath(place, Path(self._places[page]).parent)

    def _place(self, path: Path) -> str:
        path = path / "README.md" if (path / "README.md").is_file() else path
        if not path.exists():
            raise SystemExit(f"{path} is linked to and does not exist.")
        if path not in self._places:
            self._places[path] = _place_of(path)
            self._waiting.append(path)
        return self._places[path]

    def _listing(self, folder: Path) -> str:
        """A page for a folder of the repository that a page points to."""
        files = [path for path in sorted(folder.iterdir()) if path.is_file() and not path.name.startswith(".")]
        here = Path(self._places[folder]).parent
        links = [f"- [{_title(path)}]({os.path.relpath(self._place(path), here)})" for path in files]
        return "\n".join([f"# {folder.name.capitalize()}\n", *links, ""])


def _title(path: Path) -> str:
    return DocumentPage(path).title if path.suffix == ".md" else path.name


def _place_of(path: Path) -> str:
    if path.is_dir():
        return _place_of(path / "index.md")
    return DocumentPage(path).place if path.is_relative_to(DOCS) else f"files/{path.relative_to(ROOT).as_posix()}"


def navigation() -> list[dict[str, Any]]:
    return [{section.title: _entries(section)} for section in sections()]


def _entries(section: SiteSection) -> list[dict[str, Any]]:
    groups = [{group.title: [{page.title: page.place} for page in group.pages]} for group in section.groups]
    return [*({page.title: page.place} for page in section.pages), *groups]


def all_pages_in_one() -> str:
    """What a model reads that wants everything. How the project works on itself is left out."""
    told = [page for section in sections() if section.title != "Project" for page in section.all_pages]
    return "\n\n".join(f"<!-- {page.place} -->\n\n{page.text.strip()}" for page in told) + "\n"


def gather(folder: Path) -> None:
    """Everything that Zensical needs, in a folder that is made anew."""
    shutil.rmtree(folder, ignore_errors=True)
    Gathered(folder / "docs").write()
    for name, path in _ASSETS.items():
        shutil.copyfile(path, folder / "docs" / name)
    looks, rest = _LOOKS.read_text("utf-8").split("[project.extra]", 1)
    # JSON and TOML write these lists alike, but for the colon.
    nav = f"nav = {_toml(navigation())}"
    (folder / "zensical.toml").write_text(f"{looks}{nav}\n\n[project.extra]{rest}", "utf-8")


def _toml(value: Any) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(name)} = {_toml(each)}" for name, each in value.items()) + " }"
    return json.dumps(value, ensure_ascii=False)


def build(site: Path, source: Path) -> Path:
    """The folder of this version in `site`; those of other versions stay. `source` is where its parts are gathered."""
    gather(source)
    _render(source, "build", "--strict", "--clean")
    target = site / VERSION
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(source / "site", target)
    for page in pages():
        (target / page.place).write_text(page.text, "utf-8")
    (target / "llms.txt").write_text(llms_index(lambda page: page.place), "utf-8")
    (target / "llms-full.txt").write_text(all_pages_in_one(), "utf-8")
    _write_versions(site)
    dead = dead_links(links_of(target))
    if dead:
        raise SystemExit("\n".join(["Dead links:", *dead]))
    return target


def _render(source: Path, *words: str) -> None:
    ended = subprocess.run([TOOL / "bin" / "zensical", *words], cwd=source, check=False)
    if ended.returncode != 0:
        raise SystemExit(ended.returncode)


def _write_versions(site: Path) -> None:
    """For the menu of versions, and for who comes without naming one."""
    found = sorted((path.name for path in site.iterdir() if _VERSION_FOLDER.fullmatch(path.name)), key=_number)[::-1]
    listed = [{"version": name, "title": name, "aliases": ["latest"] if name == found[0] else []} for name in found]
    (site / "versions.json").write_text(json.dumps(listed, indent=1) + "\n", "utf-8")
    (site / "index.html").write_text(
        f'<!doctype html>\n<meta charset="utf-8">\n<title>Longtable</title>\n'
        f'<meta http-equiv="refresh" content="0; url={found[0]}/index.html">\n'
        f'<a href="{found[0]}/index.html">Documentation of version {found[0]}</a>\n',
        "utf-8",
    )


def _number(name: str) -> tuple[int, ...]:
    return tuple(map(int, name.split(".")))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--site", type=Path, default=SITE, help="the folder that holds a folder for each version")
    print(build(parser.parse_args().site, TOOL / "source"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
