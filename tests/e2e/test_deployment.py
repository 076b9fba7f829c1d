"""Image, unit and chart: their options are checked by the program, the rest by the tools that they are for."""

import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from longtable import __version__
from longtable.settings.load import load
from longtable.settings.options import OPTIONS

ROOT = Path(__file__).parents[2]
CHART = ROOT / "deploy" / "helm" / "longtable"
UNIT = ROOT / "deploy" / "systemd" / "longtable.service"
DOCKERFILE = (ROOT / "Dockerfile").read_text("utf-8")
STORE = {"store": "postgresql://longtable:s@db/longtable", "auth_tokens": ["me:token"]}


def tool(name: str) -> str:
    beside = Path(sys.executable).with_name(name)
    found = str(beside) if beside.exists() else shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


def render(*settings: str) -> list[dict[str, Any]]:
    flags = [word for setting in settings for word in ("--set", setting)]
    command = [tool("helm"), "template", "table", str(CHART), *flags]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return [each for each in yaml.safe_load_all(done.stdout) if each]


@pytest.fixture(scope="module")
def manifests() -> dict[str, dict[str, Any]]:
    return {each["kind"]: each for each in render("ingress.enabled=true", "networkPolicy.enabled=true")}


def test_the_chart_is_what_helm_understands() -> None:
    done = subprocess.run([tool("helm"), "lint", "--strict", str(CHART)], check=False, capture_output=True, text=True)

    assert done.returncode == 0, done.stdout


def test_the_chart_refuses_values_that_it_does_not_know() -> None:
    command = [tool("helm"), "template", "table", str(CHART), "--set", "replicas=0", "--set", "repliças=2"]

    assert subprocess.run(command, check=False, capture_output=True, timeout=60).returncode != 0


def test_its_servers_have_options_that_the_program_takes(manifests: dict[str, Any], tmp_path: Path) -> None:
    [container] = manifests["Deployment"]["spec"]["template"]["spec"]["containers"]
    program, *given = container["args"]
    flags = dict(flag.removeprefix("--").replace("-", "_").split("=", 1) for flag in given)
    secret = tmp_path / "longtable.json"
    secret.write_text(json.dumps(STORE))

    settings = load({**flags, "config_file": str(secret)}, {}).settings

    assert program == "serve"
    assert settings.http_port == container["ports"][0]["containerPort"]
    assert settings.allowed_hosts == ("localhost",)


def test_its_pods_are_restricted(manifests: dict[str, Any]) -> None:
    pod = manifests["Deployment"]["spec"]["template"]["spec"]
    [container] = pod["containers"]

    assert pod["securityContext"]["runAsNonRoot"] is True
    assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert pod["automountServiceAccountToken"] is False
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    writable = {mount["mountPath"] for mount in container["volumeMounts"] if not mount.get("readOnly")}
    assert writable == {"/data", "/tmp"}
    assert manifests.keys() >= {"Service", "Ingress", "NetworkPolicy", "PodDisruptionBudget", "ServiceAccount"}


def test_one_version_is_named_everywhere() -> None:
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text("utf-8"))

    assert (chart["version"], chart["appVersion"]) == (__version__, __version__)


def test_the_image_has_no_root_and_asks_the_server_how_it_is() -> None:
    last = DOCKERFILE.rpartition("\nFROM ")[2]
    variables = set(re.findall(r"\b(LONGTABLE_[A-Z_]+)=", last))

    assert re.search(r"^USER 10001:10001$", last, re.MULTILINE)
    assert re.search(r"^HEALTHCHECK .*\n.*127\.0\.0\.1:8765/ready", last, re.MULTILINE)
    assert "--require-hashes" in DOCKERFILE
    assert variables <= {option.environment for option in OPTIONS}
    code = re.search(r'CMD \["python", "-c", "(.*)"\]', last)
    assert code is not None
    compile(code[1], "healthcheck", "exec")


def test_only_what_the_image_is_made_of_is_sent_to_be_built() -> None:
    kept = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    copied = {
        shlex.split(line)[1] for line in DOCKERFILE.splitlines() if line.startswith("COPY ") and "--from" not in line
    }

    assert kept == copied


def test_the_unit_is_confined(tmp_path: Path) -> None:
    unit = tmp_path / "longtable.service"
    unit.write_text(UNIT.read_text("utf-8").replace("/opt/longtable/bin/longtable", "/bin/true"))
    analyze = tool("systemd-analyze")

    known = subprocess.run([analyze, "verify", str(unit)], check=False, capture_output=True, text=True, timeout=60)
    # In tenths: up to 2.0 of 10 is what systemd calls OK.
    exposure = subprocess.run(
        [analyze, "security", "--offline=true", "--threshold=20", str(unit)],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
    )

    assert "Unknown" not in known.stderr
    assert "Failed to parse" not in known.stderr
    assert exposure.returncode == 0, exposure.stdout[-200:]


def test_the_package_says_what_it_is_without_a_dead_link() -> None:
    text = (ROOT / "PACKAGE.md").read_text("utf-8")

    assert re.findall(r"\]\((?!https?://)", text) == []
