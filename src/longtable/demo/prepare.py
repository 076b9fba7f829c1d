"""The gateway file of the demo: its office behind rules, so that one tool is free and another needs a person."""

import json
import sys
from pathlib import Path
from typing import Any

import longtable
from longtable.demo import office

FILE = "demo-gateway.json"
UPSTREAM = "office"
LOOK_UP = "look_up_price"
SEND = "send_summary"


def gateway_config() -> dict[str, Any]:
    return {
        "mcpServers": {
            UPSTREAM: {
                "command": sys.executable,
                "args": ["-m", office.__name__],
                # Upstreams inherit hardly anything; this one must find the package that it is part of.
                "env": {"PYTHONPATH": str(Path(longtable.__file__).resolve().parents[1])},
                "timeout": "10s",
            }
        },
        "rules": [
            {"match": f"{UPSTREAM}.{LOOK_UP}", "layer": "tool", "reason": "it only reads the price list"},
            {"match": f"{UPSTREAM}.{SEND}", "layer": "run", "confirm": "human", "reason": "mail cannot be taken back"},
            {"match": f"{UPSTREAM}.delete_*", "layer": "deny", "reason": "nobody deletes mailboxes here"},
            {"match": f"{UPSTREAM}.*", "rate": "60/min"},
        ],
    }


def prepare(folder: Path) -> Path:
    """Writes the gateway file into the folder, for the option gateway_config."""
    path = folder / FILE
    path.write_text(json.dumps(gateway_config(), indent=2) + "\n", encoding="utf-8")
    return path
