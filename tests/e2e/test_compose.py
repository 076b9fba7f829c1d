"""The example for Docker Compose: read as it stands, its options checked by the program, its balancer by HAProxy."""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from longtable.settings.load import load
from longtable.settings.options import BY_NAME, Settings

FILE = Path(__file__).parents[2] / "compose.yaml"
TABLES = ("one", "two")


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    content: dict[str, Any] = yaml.safe_load(FILE.read_text("utf-8"))
    return content


def settings_of(service: dict[str, Any], tmp_path: Path) -> Settings:
    """As the command line gives them, with the secret file that the head of the example makes."""
    program, *given = service["command"]
    assert program == "serve"
    flags = dict(flag.removeprefix("--").replace("-", "_").split("=", 1) for flag in given)
    assert flags["config_file"] == "/run/secrets/longtable.json"
    secret = tmp_path / "longtable.json"
    secret.write_text(json.dumps({"store": "postgresql://longtable:s@db/longtable", "auth_tokens": ["me:token"]}))
    assert flags.keys() <= BY_NAME.keys()
    return load({**flags, "config_file": str(secret)}, {}).settings


@pytest.mark.parametrize("name", TABLES)
def test_its_servers_have_options_that_the_program_takes(compose: dict[str, Any], name: str, tmp_path: Path) -> None:
    settings = settings_of(compose["services"][name], tmp_path)

    assert settings.auth_mode == "tokens"
    assert settings.store.startswith("postgresql://")
    assert str(settings.http_port) in " ".join(compose["services"][name]["healthcheck"]["test"])


def test_every_service_is_confined(compose: dict[str, Any]) -> None:
    for name, service in compose["services"].items():
        assert service["read_only"] is True, name
        assert service["cap_drop"] == ["ALL"], name
        assert service["security_opt"] == ["no-new-privileges:true"], name
        assert int(service["user"].split(":")[0]) > 0, name
        assert "healthcheck" in service, name


def test_secrets_are_files_and_only_the_balancer_is_reachable(compose: dict[str, Any]) -> None:
    assert all(secret.keys() == {"file"} for secret in compose["secrets"].values())
    assert "choose" not in FILE.read_text("utf-8")
    assert [name for name, service in compose["services"].items() if "ports" in service] == ["balancer"]
    assert compose["networks"]["back"]["internal"] is True
    assert compose["services"]["db"]["networks"] == ["back"]


def test_its_balancer_is_what_haproxy_understands(compose: dict[str, Any], tmp_path: Path) -> None:
    haproxy = shutil.which("haproxy", path=f"{os.environ['PATH']}:/usr/sbin")
    assert haproxy is not None, "HAProxy is not installed: run `make balancer`"
    config = tmp_path / "haproxy.cfg"
    config.write_text(compose["configs"]["balancer"]["content"], "utf-8")

    checked = subprocess.run(
        [haproxy, "-c", "-f", str(config)], check=False, capture_output=True, text=True, timeout=30
    )

    assert checked.returncode == 0, checked.stderr
    assert all(f"server {name} {name}:8765" in config.read_text() for name in TABLES)


def test_the_role_of_the_servers_is_made_for_them(compose: dict[str, Any]) -> None:
    script = compose["configs"]["role"]["content"].replace("$$", "$")

    assert subprocess.run(["sh", "-n"], check=False, input=script, text=True, timeout=10).returncode == 0
    assert "CREATE ROLE longtable LOGIN" in script
    assert "SUPERUSER" not in script
