"""Servers over HTTP that a test starts and ends: the hostile one, and a small web service."""

import subprocess
import sys
from contextlib import ExitStack
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

from longtable.upstreams.entries import HttpEntry, ResourceLimits
from longtable.upstreams.references import SecretMask
from tests.gateway.hostile.entries import ROOT


@dataclass
class StartedUpstream:
    """One of them, with the address that it printed."""

    popen: "subprocess.Popen[str]"
    address: str

    @property
    def port(self) -> int:
        return urlsplit(self.address).port or 0

    def stop(self) -> None:
        self.popen.kill()
        self.popen.wait(10)


@dataclass
class Served:
    _stack: ExitStack = field(default_factory=ExitStack)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def start(self, module: str, *words: object) -> StartedUpstream:
        command = [sys.executable, "-m", f"tests.gateway.hostile.{module}", *(str(word) for word in words)]
        popen = self._stack.enter_context(subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True))
        self._stack.callback(popen.kill)
        assert popen.stdout is not None
        address = popen.stdout.readline().strip()
        assert address, "the server did not start"
        return StartedUpstream(popen, address)


def http_entry(address: str, name: str = "web", **more: Any) -> HttpEntry:
    """`more` are fields of the entry, or of its caps."""
    limits = {key: more.pop(key) for key in tuple(more) if key in ResourceLimits.__slots__}
    headers: dict[str, str] = more.pop("headers", {})
    return HttpEntry(
        name=name,
        pack=name,
        url=address,
        headers=headers,
        mask=SecretMask(headers.values()),
        limits=ResourceLimits(**limits),
        **more,
    )
