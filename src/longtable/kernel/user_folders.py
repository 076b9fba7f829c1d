"""Where programs of a user keep their files, on each system."""

import os
import sys
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class UserFolders:
    """Where a user of this machine has their files."""

    home: Path
    current: Path
    app_data: Path | None
    platform: str

    @classmethod
    def here(cls) -> "UserFolders":
        app_data = os.environ.get("APPDATA")
        return cls(Path.home(), Path.cwd(), Path(app_data) if app_data else None, sys.platform)

    @property
    def settings(self) -> Path:
        if self.platform == "win32":
            return self.app_data or self.home / "AppData" / "Roaming"
        return self.home / ("Library/Application Support" if self.platform == "darwin" else ".config")
