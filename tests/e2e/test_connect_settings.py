"""`longtable connect` writes what holds here, as the client will have another environment."""

import json
from pathlib import Path

import pytest

from tests.e2e.servers import Processes


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "home"
    path.mkdir()
    monkeypatch.setenv("HOME", str(path))
    return path


@pytest.mark.parametrize("way", ["environment", "file"])
def test_the_process_opens_the_store_that_the_settings_name(home: Path, tmp_path: Path, way: str) -> None:
    options = {"data_dir": str(tmp_path / "team"), "project": "ours"}
    file = tmp_path / "longtable.json"
    file.write_text(json.dumps(options))

    named = options if way == "environment" else {"config_file": str(file)}
    done = Processes(tmp_path).run("connect", "cursor", "--print", "--json", options=named)

    assert json.loads(done.stdout)["entry"]["args"][:4] == ["--data-dir", options["data_dir"], "--project", "ours"]


def test_a_password_in_the_environment_is_not_written_to_a_client(home: Path, tmp_path: Path) -> None:
    address = "postgresql://table:hunter22@db.example.org/table"

    done = Processes(tmp_path).run("connect", "cursor", "--print", options={"store": address})

    assert "hunter22" not in done.stdout + done.stderr
    assert "LONGTABLE_STORE" in done.stderr


@pytest.mark.parametrize("name", ["human:bob", "x" * 101])
def test_a_name_that_no_agent_may_have_is_not_written(home: Path, tmp_path: Path, name: str) -> None:
    refused = Processes(tmp_path).run("connect", "cursor", "--agent", name, options={})

    assert refused.returncode == 2
    assert "--agent: must" in refused.stderr
    assert list(home.iterdir()) == []
