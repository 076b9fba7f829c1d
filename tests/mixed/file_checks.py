"""What reads files is given rubbish: it succeeds, or refuses in our words, and soon."""

import random
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

from longtable.app import App
from longtable.gateway.gateway_file import load_file
from longtable.kernel.errors import ConfigError, LongtableError
from longtable.settings.load import load
from tests.mixed.file_rubbish import FileRubbish
from tests.spec.transfer.transfers import exported, imported

SLOW = 1.0


@dataclass
class FileChecks:
    """`folder` is the current one of the process, too: nothing that a file names is made anywhere else."""

    folder: Path
    chance: random.Random
    outcomes: "Counter[str]" = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    async def configurations(self, count: int) -> None:
        rubbish, path = FileRubbish(self.chance), self.folder / "config.json"

        async def read(content: bytes) -> None:
            path.write_bytes(content)
            path.chmod(0o600)
            load({"config_file": str(path), "data_dir": str(self.folder / "data")}, {})

        for _ in range(count):
            await self._try("configuration", rubbish.configuration(), read, ConfigError)

    async def gateway_files(self, count: int) -> None:
        rubbish, path = FileRubbish(self.chance), self.folder / "gateway.json"
        settings = load({"gateway_config": str(path), "data_dir": str(self.folder / "data")}, {}).settings

        async def read(content: bytes) -> None:
            path.write_bytes(content)
            path.chmod(0o600)
            load_file(settings)

        for _ in range(count):
            await self._try("gateway file", rubbish.gateway(), read, ConfigError)

    async def imports(self, app: App, count: int) -> None:
        rubbish, good = FileRubbish(self.chance), await exported(app)

        async def read(content: bytes) -> None:
            await imported(app, content, self.folder, tenant="other")

        for _ in range(count):
            await self._try("import", rubbish.export(good), read, LongtableError)

    async def _try(
        self, what: str, content: bytes, read: Callable[[bytes], Awaitable[None]], expected: type[Exception]
    ) -> None:
        began = time.process_time()
        try:
            await read(content)
            self.outcomes[f"{what} read"] += 1
        except expected:
            self.outcomes[f"{what} refused"] += 1
        except Exception as error:  # noqa: BLE001 - whatever it is, it is a fault
            self.wrong.append(f"{what}: {error!r} for {content[:600]!r}")
        if time.process_time() - began > SLOW:
            self.wrong.append(f"{what}: {time.process_time() - began:.1f} s for {content[:300]!r}")
