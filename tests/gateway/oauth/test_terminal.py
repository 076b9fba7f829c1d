"""An owner connects and disconnects an upstream at the terminal."""

from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.e2e.program import Program, at_terminal
from tests.e2e.servers import place_of
from tests.gateway.oauth.conftest import TOOL, AuthorizationServer, opened
from tests.gateway.slice.gateway import names, use
from tests.stores import Store

pytestmark = [pytest.mark.node, pytest.mark.slow]


def program_on(store: Store, folder: Path) -> Program:
    place = dict(place_of(store, folder))
    data_dir = Path(place.pop("data_dir", folder / "data"))
    return Program(data_dir, {**place, "gateway_config": str(folder / "gateway.json")})


async def test_a_link_of_the_terminal_connects_an_upstream_and_logout_has_its_tokens_revoked(
    store: Store, tmp_path: Path, vault: str, authorization: AuthorizationServer
) -> None:
    async with opened(store, tmp_path, vault) as gateway:
        program = program_on(store, tmp_path)
        browser = gateway.table.agent().client
        with at_terminal(program, "upstreams", "login", "vault") as terminal:
            shown = terminal.shows("Open it in a browser to connect vault")
            assert terminal.ends() == 0
        link = urlsplit(next(word for word in shown.split() if word.startswith("http")))

        begun = await browser.get(f"{link.path}?{link.query}")
        page = await browser.get(await authorization.consent(str(begun.headers["location"])))
        used = await use(gateway.agent(), TOOL)
        again = await browser.get(f"{link.path}?{link.query}")
        ended = program.run("upstreams", "logout", "vault")

        assert "vault is connected" in page.text
        assert "ada by" in str(used.result)
        assert again.status_code >= 400
        assert ended.out.strip() == "The tokens of vault are deleted, and revoked."
        assert (await gateway.vault())["authorization"] == {"state": "needs authorization"}
        assert program.run("upstreams", "logout", "vault").status != 0


async def test_a_link_is_shown_to_nobody_but_a_person_at_a_terminal(store: Store, tmp_path: Path, vault: str) -> None:
    async with opened(store, tmp_path, vault) as gateway:
        program = program_on(store, tmp_path)

        status, code = program.refuses("upstreams", "login", "vault")

        assert (status, code) == (1, "FORBIDDEN")
        assert TOOL not in await names(gateway.agent())
