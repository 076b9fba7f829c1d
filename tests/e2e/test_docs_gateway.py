"""The page about the gateway is true: its programs and commands run, its rules, playbooks and snippets can be read."""

import json
from pathlib import Path

import pytest
import yaml

from longtable.gateway.playbook_file import load_playbooks
from longtable.governance.rules import parse_rules
from longtable.upstreams.config import load_gateway_file
from tests.e2e.pages import PageReader, blocks_of

PAGE = "docs/howto/gateway.md"


def snippets(kind: str) -> list[str]:
    return [block.text for block in blocks_of(PAGE) if block.kind == kind]


@pytest.mark.slow
def test_servers_are_put_behind_the_gateway_and_a_call_is_allowed_as_the_page_says(reader: PageReader) -> None:
    reader.saves_programs(PAGE)
    (reader.folder / "gateway.json").write_text(snippets("json")[0])

    reader.follows(PAGE)

    reader.stops_server()


def test_the_rules_on_the_page_are_rules(tmp_path: Path) -> None:
    given = yaml.safe_load(snippets("yaml")[0])
    path = tmp_path / "gateway.yaml"
    path.write_text(snippets("yaml")[0])

    rules = parse_rules(given["rules"], "rules")

    assert load_gateway_file(path).rules == rules
    asks = rules[4]
    assert [asks.holds({"to": to}) for to in ("a@example.org", "a@elsewhere.org")] == [False, True]


def test_the_playbook_on_the_page_is_one(tmp_path: Path) -> None:
    (text,) = (each for each in snippets("yaml") if "steps:" in each)
    (tmp_path / "tidy.yaml").write_text(text)

    [book] = load_playbooks(tmp_path)

    assert [step.is_known_beforehand for step in book.steps] == [True, True]


def test_the_other_files_on_the_page_are_read(tmp_path: Path) -> None:
    for number, text in enumerate(snippets("json")):
        path = tmp_path / f"{number}.json"
        path.write_text(text)

        load_gateway_file(path, environ={"PETS_TOKEN": "x"})

        assert json.loads(text)
