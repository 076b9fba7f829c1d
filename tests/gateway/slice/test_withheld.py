"""Tools that an upstream lists and nobody is offered: they take only themselves away, and people are told why."""

from pathlib import Path

import pytest

from longtable.kernel.caller import Role
from tests.gateway.hostile.entries import hostile_json
from tests.gateway.slice.gateway import AUTH_ON, LIST, names, opened, use
from tests.stores import Store

pytestmark = pytest.mark.slow


async def test_people_see_which_tools_are_denied_or_malformed_and_why(store: Store, tmp_path: Path) -> None:
    (tmp_path / "bad-day").touch()
    odd = hostile_json("malformed", tmp_path / "bad-day", deny=["get_huge"])
    rules = [{"match": "shop.get_post", "layer": "deny", "reason": "not today"}]
    async with opened(store, tmp_path, AUTH_ON, servers={"odd": odd}, rules=rules) as gateway:
        agent, owner = gateway.agent(token="acme-secret"), await gateway.person(role=Role.OWNER)
        listed = await names(agent)

        upstreams = (await owner.get("/upstreams")).json()["upstreams"]

        assert {"mindscape_tool_odd_get_on", LIST} <= listed.keys()
        assert not [name for name in listed if name.startswith("mindscape_tool_odd_") and not name.endswith("get_on")]
        assert (await use(agent, "mindscape_tool_odd_get_on")).code == "SUCCESS"
        withheld = {
            upstream["name"]: {each["tool"]: (each["kind"], each["reason"]) for each in upstream["withheld"]}
            for upstream in upstreams
        }
        assert withheld["shop"]["get_post"] == ("denied", "not today")
        assert withheld["shop"]["admin_reset"] == ("denied", "its name says that it is internal")
        assert withheld["odd"]["get_huge"] == ("denied", "its entry in the gateway file leaves it out")
        assert withheld["odd"]["get_shapeless"] == ("malformed", "inputSchema: Field required")
