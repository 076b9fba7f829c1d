"""The package of the TypeScript client: what is in it, and what its types and methods are made of."""

import json
import re
from pathlib import Path

from longtable import __version__
from scripts import docs
from scripts.client_tools import is_for_session, is_for_tenant, is_typed
from tests.clients.typescript import PACKAGE, ROOT, run, skip_unless_built

GENERATED = PACKAGE / "src" / "generated"


def test_the_package_has_the_built_client_its_types_and_nothing_of_the_tests(tmp_path: Path) -> None:
    skip_unless_built()

    (packed,) = json.loads(run(["npm", "pack", "--dry-run", "--json", PACKAGE], tmp_path))
    paths = {file["path"] for file in packed["files"]}
    sources = {path.relative_to(PACKAGE / "src").with_suffix("") for path in (PACKAGE / "src").rglob("*.ts")}

    built = {f"dist/{source}{ending}" for source in sources for ending in (".js", ".d.ts")}
    assert paths == built | {"package.json", "README.md", "LICENSE"}
    assert packed["unpackedSize"] < 1_000_000


def test_the_package_has_the_version_and_the_licence_of_the_server_and_no_dependency() -> None:
    package = json.loads((PACKAGE / "package.json").read_text("utf-8"))

    assert package["version"] == __version__
    assert {"dependencies", "peerDependencies", "optionalDependencies"}.isdisjoint(package)
    assert (PACKAGE / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()


def test_the_lock_names_no_registry() -> None:
    lock = json.loads((PACKAGE / "package-lock.json").read_text("utf-8"))

    assert [name for name, package in lock["packages"].items() if "resolved" in package] == []


def test_the_client_uses_nothing_that_only_node_has() -> None:
    sources = {path.name: path.read_text("utf-8") for path in (PACKAGE / "src").rglob("*.ts")}
    elsewhere = re.compile(r"from \"(?!\.)|\bprocess\.|\bBuffer\b|\brequire\(")

    assert [name for name, text in sources.items() if elsewhere.search(text)] == []


def test_every_tool_that_a_client_has_is_a_method() -> None:
    text = (GENERATED / "methods.ts").read_text("utf-8")
    methods = set(re.findall(r"^  (?:async )?(\w+)\(.*\): Promise<", text, re.MULTILINE))
    tools = [tool for tool in docs.every_tool() if is_typed(tool) and (is_for_session(tool) or is_for_tenant(tool))]

    assert methods == {re.sub(r"_(\w)", lambda letter: letter[1].upper(), tool.name) for tool in tools}


def test_every_error_code_is_an_exception() -> None:
    text = (GENERATED / "errors.ts").read_text("utf-8")

    assert set(re.findall(r'code: string = "(\w+)"', text)) == {error.code for error in docs.every_error()}
