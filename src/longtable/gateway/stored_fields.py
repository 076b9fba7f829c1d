"""The fields of a dataclass as the columns of its row; some of them are JSON in the store."""

import json
from collections.abc import Collection
from typing import Any

from longtable.storage.database import Row


def row_of(stored: Any, as_json: Collection[str] = ()) -> dict[str, Any]:
    fields = {name: getattr(stored, name) for name in stored.__slots__}
    for name in as_json:
        fields[name] = None if fields[name] is None else json.dumps(fields[name])
    return fields


def fields_of(row: Row, as_json: Collection[str]) -> dict[str, Any]:
    fields = dict(row)
    for name in as_json:
        fields[name] = None if fields[name] is None else json.loads(fields[name])
    return fields
