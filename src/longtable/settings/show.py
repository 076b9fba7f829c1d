"""What `longtable config` prints: every option with its value, its source and its meaning. Secrets are masked."""

import os
import stat
from typing import Any

from longtable.settings.declare import Option
from longtable.settings.load import Loaded, suggestion
from longtable.settings.options import OPTIONS

_READABLE_BY_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def describe(loaded: Loaded) -> list[dict[str, Any]]:
    """One JSON object per option, in the order of the table."""
    return [
        {
            "name": option.name,
            "value": option.shown(getattr(loaded.settings, option.effective)),
            "source": loaded.sources[option.name],
            "help": option.help,
        }
        for option in OPTIONS
    ]


def notices(loaded: Loaded) -> list[str]:
    """Sentences about what is allowed but worth knowing."""
    return [*_about_created_file(loaded), *readable_secrets(loaded), *unknown_variables(loaded)]


def _about_created_file(loaded: Loaded) -> list[str]:
    if loaded.created_file is None:
        return []
    wrote = f"Wrote the effective configuration to {loaded.created_file}."
    if not loaded.left_out:
        return [wrote]
    return [f"{wrote} Secrets are not in it, keep giving them by flag or environment: {', '.join(loaded.left_out)}."]


def readable_secrets(loaded: Loaded) -> list[str]:
    path = loaded.settings.config_file
    secrets = [option.name for option in OPTIONS if _is_secret_of_file(loaded, option)]
    if os.name != "posix" or path is None or not secrets or not path.stat().st_mode & _READABLE_BY_OTHERS:
        return []
    return [f"Others may read {path}, which holds {', '.join(secrets)}: chmod 600 it."]


def _is_secret_of_file(loaded: Loaded, option: Option) -> bool:
    return "file" in loaded.sources[option.name] and option.hides(getattr(loaded.settings, option.name))


def unknown_variables(loaded: Loaded) -> list[str]:
    known = [option.environment for option in OPTIONS]
    return [
        f"The environment variable {name} is none of ours and was ignored. {suggestion(name, known)}".rstrip()
        for name in loaded.unknown_environment
    ]
