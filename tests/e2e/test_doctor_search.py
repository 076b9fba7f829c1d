"""`longtable doctor` on a PostgreSQL server that cannot find texts by their meaning."""

import secrets
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.e2e.program import Program
from tests.schemas import PostgresLogin, administer

pytestmark = pytest.mark.slow


@pytest.fixture
async def bare(postgres: PostgresLogin) -> AsyncIterator[str]:
    """A database of its own that has no extension, for a login that may not create one."""
    name = f"doctor_{secrets.token_hex(6)}"
    await administer(postgres.admin_url, f"CREATE DATABASE {name} OWNER {postgres.role}")
    yield urlsplit(postgres.url("public"))._replace(path=f"/{name}").geturl()
    await administer(postgres.admin_url, f"DROP DATABASE {name} WITH (FORCE)")


def found_of_search(program: Program, **options: str) -> list[dict[str, Any]]:
    findings = program.run("doctor", "--json", **options).json["findings"]
    return [finding for finding in findings if finding["check"] == "search"]


async def test_a_missing_extension_is_found_with_what_brings_it(bare: str, tmp_path: Path) -> None:
    (found,) = found_of_search(Program(tmp_path / "data"), store=bare)

    assert found["severity"] == "warning"
    assert "found by keyword only" in found["message"]
    assert "CREATE EXTENSION vector" in found["remedy"]


async def test_who_wants_no_search_by_meaning_needs_no_extension(bare: str, tmp_path: Path) -> None:
    assert found_of_search(Program(tmp_path / "data"), store=bare, enable_semantic_search="false") == []
