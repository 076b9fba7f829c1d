"""What `longtable config` and the reference page say about the options."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from longtable.settings.load import load
from longtable.settings.options import OPTIONS
from longtable.settings.show import describe, notices

ROOT = Path(__file__).resolve().parents[2]


def _by_name(rows: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {row["name"]: row for row in rows}


def test_every_option_is_shown_with_value_source_and_help() -> None:
    rows = describe(load({"http_port": "99"}, {"LONGTABLE_SESSION_TTL": "90m"}))

    assert [row["name"] for row in rows] == [option.name for option in OPTIONS]
    assert all(row["help"].endswith(".") for row in rows)
    assert _by_name(rows)["http_port"]["value"] == 99
    assert _by_name(rows)["http_port"]["source"] == "flag"
    assert _by_name(rows)["session_ttl"]["value"] == "90m"
    assert _by_name(rows)["session_ttl"]["source"] == "environment"


def test_secrets_are_masked_wherever_they_stand() -> None:
    environment = {
        "LONGTABLE_TOKEN": "s3cr3t",
        "LONGTABLE_SCRAPE_TOKEN": "s3cr3t",
        "LONGTABLE_AUTH_TOKENS": "alice:s3cr3t",
        "LONGTABLE_STORE": "postgresql://user:s3cr3t/p@ss@host:5432/db?sslpassword=s3cr3t&x=1",
    }

    rows = describe(load({}, environment))

    assert "s3cr3t" not in json.dumps(rows)
    assert _by_name(rows)["token"]["value"] == "***"
    assert _by_name(rows)["auth_tokens"]["value"] == ["alice:***"]
    assert _by_name(rows)["store"]["value"] == "postgresql://user:***@host:5432/db?sslpassword=***&x=1"


def test_an_option_that_depends_on_others_shows_what_holds_in_the_end() -> None:
    rows = _by_name(describe(load({"auth_tokens": ["alice:a"]}, {})))

    assert rows["auth"]["value"] == "tokens"
    assert rows["session_mode"]["value"] == "strict"


def test_an_unknown_variable_is_noticed_with_the_name_that_was_meant() -> None:
    assert notices(load({}, {"LONGTABLE_AUTH_TOKEN": "x"})) == [
        "The environment variable LONGTABLE_AUTH_TOKEN is none of ours and was ignored. "
        "Did you mean LONGTABLE_AUTH_TOKENS?"
    ]


def test_nothing_is_noticed_when_all_is_well() -> None:
    assert notices(load({}, {"PATH": "/bin"})) == []


@pytest.mark.slow
def test_the_reference_page_is_up_to_date() -> None:
    check = subprocess.run(
        [sys.executable, "-m", "scripts.docs", "--check"], cwd=ROOT, capture_output=True, text=True, check=False
    )

    assert (check.returncode, check.stderr) == (0, "")


def test_the_reference_page_has_a_row_for_every_option() -> None:
    page = (ROOT / "docs/reference/configuration.md").read_text()

    for option in OPTIONS:
        assert f"| `{option.name}` |" in page


def test_reading_the_options_imports_nothing_heavy() -> None:
    program = (
        "import sys\n"
        "from longtable.cli.flags import parse_stdio_flags\n"
        "from longtable.settings.load import load_unbound\n"
        "load_unbound(parse_stdio_flags(['--data-dir', '/x', '--enable-sse']), {})\n"
        "heavy = {'typer', 'rich', 'structlog', 'pydantic', 'platformdirs', 'difflib', 'asyncio'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
    )

    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert run.stdout.strip() == "[]"
