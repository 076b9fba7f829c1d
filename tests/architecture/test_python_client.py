"""The Python client is a distribution of its own: nothing of the server, and the server's version."""

import ast
import sys
import tomllib
from pathlib import Path

import longtable
import longtable_client
from longtable import client
from longtable.kernel.errors import LongtableError
from longtable_client import version
from longtable_client.errors import BY_CODE

ROOT = Path(__file__).resolve().parents[2]
CLIENT = ROOT / "clients" / "python"


def imported_by(path: Path) -> set[str]:
    """The packages that it names."""
    names = set[str]()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add(node.module or "")
    return {name.partition(".")[0] for name in names}


def test_the_client_needs_an_http_client_and_nothing_of_the_server() -> None:
    declared = tomllib.loads((CLIENT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    imported = {name for path in CLIENT.rglob("*.py") for name in imported_by(path)}

    assert imported - sys.stdlib_module_names == {"httpx2", "longtable_client"}
    assert [name.partition(">")[0] for name in declared] == ["httpx2"]


def test_what_was_the_client_of_the_server_is_another_name_for_it() -> None:
    same = [name for name in client.__all__ if getattr(client, name) is getattr(longtable_client, name)]

    assert same == client.__all__
    assert imported_by(ROOT / "src" / "longtable" / "client" / "__init__.py") == {"longtable", "longtable_client"}


def test_client_and_server_have_one_version() -> None:
    assert version.__version__ == longtable.__version__


def test_every_error_of_the_server_is_one_of_the_client() -> None:
    assert set(BY_CODE) == {kind.code for kind in LongtableError.__subclasses__()}
