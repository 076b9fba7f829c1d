"""The documents are true: their commands and programs run, their snippets can be read, their links lead somewhere."""

import asyncio
import json
import os
import re
import shutil
import subprocess
import tomllib

import httpx2
import pytest
from mcp import Client, StdioServerParameters

from tests.e2e.pages import Block, PageReader, blocks_of
from tests.e2e.servers import ROOT
from tests.stores import STORES, Store

pytestmark = pytest.mark.skipif(os.name != "posix", reason="terminals are opened as POSIX does")

HOWTO = "docs/howto"
PAGES = sorted(
    path.relative_to(ROOT).as_posix()
    for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]
    if "reference" not in path.parts
)


def program_on(page: str) -> str:
    (block,) = [block for block in blocks_of(page) if block.kind == "python"]
    return block.text


def sign_in_link(reader: PageReader, shown: str) -> str:
    link = re.search(rf"http://{reader.host}/login\?link=\S+", shown)
    assert link is not None, shown
    return link[0]


async def tools_at(place: "str | StdioServerParameters") -> set[str]:
    async with Client(place) as client:
        return {tool.name for tool in (await client.list_tools()).tools}


def test_the_tutorial_works_as_it_is_written(reader: PageReader) -> None:
    page = "docs/tutorial.md"
    (reader.folder / "two_agents.py").write_text(reader.localised(program_on(page)))

    reader.follows(page)

    reader.stops_server()


@pytest.mark.skipif(shutil.which("curl") is None, reason="the pages speak REST with curl")
@pytest.mark.parametrize("page", ["docs/tutorial-team.md", f"{HOWTO}/ask-humans.md", f"{HOWTO}/redact-a-secret.md"])
def test_agents_and_a_person_work_together_as_the_page_says(reader: PageReader, page: str) -> None:
    reader.saves_programs(page)

    reader.follows(page)

    reader.stops_server()


def test_agents_keep_out_of_each_others_way_as_the_guide_says(reader: PageReader) -> None:
    page = f"{HOWTO}/coordinate-agents.md"
    reader.saves_programs(page)

    reader.follows(page)

    reader.stops_server()


def test_the_tutorials_links_show_its_table_in_a_browser(reader: PageReader) -> None:
    script, serves, *_ = [block for block in blocks_of("docs/tutorial.md") if block.kind == "sh"]
    assert "serve" in serves.text, script
    (reader.folder / "two_agents.py").write_text(reader.localised(program_on("docs/tutorial.md")))
    reader.does(serves)
    reader.types("python two_agents.py")
    reader.types("longtable console --data-dir table")
    assert reader.server is not None
    links = [sign_in_link(reader, reader.server.shown), sign_in_link(reader, reader.last_shown)]

    for link in links:
        with httpx2.Client(follow_redirects=True) as browser:
            page = browser.get(link)
            sessions = browser.get(f"http://{reader.host}/sessions")

        assert page.status_code == 200, page.text
        assert "tutorial" in sessions.text


def test_the_readme_starts_a_server_that_agents_and_people_reach(reader: PageReader) -> None:
    text = reader.localised((ROOT / "README.md").read_text(encoding="utf-8"))
    planned = subprocess.run(["make", "-n", "run"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert planned.stdout.splitlines()[-1] == ".venv/bin/longtable serve"

    reader.types("longtable serve")
    reader.follows("README.md")

    (address,) = re.findall(r"claude mcp add --transport http longtable (\S+)", text)
    assert reader.server is not None
    sign_in_link(reader, reader.server.shown)
    assert {"add_note", "read_notes", "read_events"} <= asyncio.run(tools_at(address))


def test_the_readme_names_the_tools_that_there_are(reader: PageReader) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    there = text.partition("## What is there")[2].partition("## ")[0]
    reader.types("longtable serve")

    tools = asyncio.run(tools_at(f"http://{reader.host}/mcp"))

    named = set(re.findall(r"`([a-z_]+)`", there))
    assert named <= tools


def test_with_project_default_a_started_process_sits_with_those_over_http(reader: PageReader) -> None:
    assert any("-- longtable --project default" in block.text for block in blocks_of(f"{HOWTO}/connect-clients.md"))
    reader.types("longtable serve")

    async def both() -> "list[str]":
        place = StdioServerParameters(
            command=str(reader.folder / "bin" / "longtable"),
            args=["--project", "default", "--data-dir", str(reader.folder / "data")],
        )
        async with Client(place) as started, Client(f"http://{reader.host}/mcp") as over_http:
            await started.call_tool("add_note", {"content": "from the process"})
            result = await over_http.call_tool("read_notes", {})
            assert result.structured_content is not None
            return [note["content"] for note in result.structured_content["notes"]]

    assert asyncio.run(both()) == ["from the process"]


def test_the_program_among_the_clients_connects_with_its_headers(reader: PageReader) -> None:
    reader.types("longtable serve")
    reader.types("longtable sessions create --session-id review-42")
    use = """
import asyncio


async def main():
    async with client:
        result = await client.call_tool("add_note", {"content": "hello"})
        print("by", result.structured_content["note"]["author"])
    await http.aclose()


asyncio.run(main())
"""
    (reader.folder / "own.py").write_text(reader.localised(program_on(f"{HOWTO}/connect-clients.md")) + use)

    reader.types("python own.py")

    assert "by planner" in reader.last_shown


def test_auth_is_switched_on_as_the_guide_says(reader: PageReader) -> None:
    page = f"{HOWTO}/auth-with-tokens.md"
    # A test opens no port to the network.
    reader.changes["0.0.0.0"] = "127.0.0.1"

    for block in [block for block in blocks_of(page) if block.kind == "sh"]:
        reader.does(block)
        made = re.search(r"secret of (token_[0-9a-f]{12}) \(ada", reader.last_shown)
        if made is not None:
            reader.changes["token_0123456789ab"] = made[1]

    assert "is revoked" in reader.last_shown
    with httpx2.Client() as client:
        assert client.get(f"http://{reader.host}/sessions").status_code == 401


def test_the_store_is_copied_and_its_audit_log_verified_as_the_guide_says(reader: PageReader) -> None:
    reader.types("longtable sessions create --purpose 'something to keep'")
    passphrase = reader.folder / "passphrase"
    passphrase.write_text("correct horse battery staple\n")
    passphrase.chmod(0o600)

    reader.follows(f"{HOWTO}/backup-and-audit.md")

    lines = (reader.folder / "audit.jsonl").read_text().splitlines()
    assert [json.loads(line)["event_type"] for line in lines] == ["session_created"]
    reader.types("longtable sessions list --data-dir restored --json")
    assert "something to keep" in reader.last_shown


def test_the_store_is_exported_and_imported_as_the_guide_says(reader: PageReader) -> None:
    (reader.folder / ".beads").mkdir()
    (reader.folder / ".beads" / "issues.jsonl").write_text('{"id":"bd-1","title":"Rent a server","priority":2}\n')
    reader.types("longtable sessions create --session-id first")

    reader.follows(f"{HOWTO}/export-and-import.md")

    assert (reader.folder / "table" / "index.md").exists()


def test_a_host_is_allowed_as_the_guide_says(reader: PageReader) -> None:
    reader.follows(f"{HOWTO}/behind-a-proxy.md")

    with httpx2.Client(base_url=f"http://{reader.host}") as client:
        allowed = client.get("/health", headers={"Host": "table.example.org"})
        other = client.get("/health", headers={"Host": "elsewhere.example.org"})
    assert (allowed.status_code, other.status_code) == (200, 403)


def test_the_configuration_for_web_tokens_starts_a_server_that_wants_one(reader: PageReader) -> None:
    page = f"{HOWTO}/jwt.md"
    configuration, groups = [json.loads(block.text) for block in blocks_of(page) if block.kind == "json"]
    (reader.folder / "longtable.json").write_text(json.dumps({**configuration, **groups}))

    reader.follows(page)

    with httpx2.Client() as client:
        assert client.get(f"http://{reader.host}/sessions").status_code == 401


@pytest.mark.skipif("postgresql" not in STORES, reason="LONGTABLE_TEST_STORES leaves PostgreSQL out")
async def test_a_server_starts_on_postgresql_as_the_guide_says(reader: PageReader, replicated: Store) -> None:
    page = f"{HOWTO}/postgresql.md"
    shown = "postgresql://longtable:choose-one@db.example.org/longtable"
    assert any(shown in block.text for block in blocks_of(page))
    reader.changes[shown] = f"'{replicated.address}'"
    # What holds behind a pooler holds without one.
    reader.changes[shown.replace("db.example.org", "pooler.example.org:6432")] = f"'{replicated.address}'"

    await asyncio.to_thread(reader.follows, page)

    async with httpx2.AsyncClient() as client:
        assert (await client.get(f"http://{reader.host}/ready")).json() == {"status": "ok"}


def test_the_layers_in_the_architecture_are_those_of_the_contract() -> None:
    page = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    (between,) = [contract["layers"] for contract in contracts if contract.get("exhaustive")]

    documented = page.partition("From the top:")[2].partition("Names joined")[0]

    # A layer in brackets is one that need not exist yet.
    assert re.findall(r"`([^`]+)`", documented) == [layer.replace("(", "").replace(")", "") for layer in between]


@pytest.mark.parametrize("page", PAGES)
def test_every_snippet_of_configuration_can_be_read(page: str) -> None:
    for block in blocks_of(page):
        read_snippet(block)


def read_snippet(block: Block) -> None:
    if block.kind == "json":
        json.loads(block.text)
    elif block.kind == "toml":
        tomllib.loads(block.text)
    elif block.kind == "python":
        compile(block.text, "snippet", "exec")


@pytest.mark.parametrize("page", PAGES)
def test_every_link_leads_somewhere(page: str) -> None:
    path = ROOT / page
    prose = re.sub(r"```.*?```|`[^`\n]*`", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    links = re.findall(r"\]\(([^)#\s]+)[^)]*\)", prose)

    missing = [link for link in links if "://" not in link and not (path.parent / link).exists()]

    assert missing == []


def test_a_session_is_forked_as_the_page_says(reader: PageReader) -> None:
    reader.follows(f"{HOWTO}/fork-a-session.md")
