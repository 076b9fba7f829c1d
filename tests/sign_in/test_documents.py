"""The configuration that the guide shows is one."""

import json
from pathlib import Path

from longtable.settings.load import load
from tests.e2e.pages import blocks_of

GUIDE = "docs/howto/sign-in-with-your-identity-provider.md"


def test_the_configurations_of_the_guide_go_together(tmp_path: Path) -> None:
    shown = [json.loads(block.text) for block in blocks_of(GUIDE) if block.kind == "json"]
    path = tmp_path / "longtable.json"
    path.write_text(json.dumps({name: value for block in shown for name, value in block.items()}))

    settings = load({"config_file": str(path)}, {"LONGTABLE_OIDC_CLIENT_SECRET": "s"}).settings

    assert len(shown) == 2
    assert settings.effective_jwt_audience == "https://table.example.org/mcp"
    assert [(one.role.value, one.tenant) for one in settings.oidc_groups] == [
        ("owner", None),
        ("human", None),
        ("human", "partners"),
    ]
