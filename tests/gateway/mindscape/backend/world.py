"""What the reference backend holds: its tools, playbooks, workspaces and runs, and everything that was asked of it."""

import secrets
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from tests.gateway.mindscape.backend.faults import BackendFaults

Item = dict[str, Any]
IDENTITY = "default-user"
PAGE = 50
LONGEST_PAGE = 200


def now() -> str:
    return datetime.now(UTC).isoformat().replace("+00:00", "Z")


def tool(tool_id: str, description: str, *, writes: bool = False, schema: Item | None = None) -> Item:
    """A RegisteredTool with every field that the interface has."""
    pack = tool_id.partition(".")[0] if "." in tool_id else None
    return {
        "tool_id": tool_id,
        "site_id": "local",
        "provider": "capability" if pack else "builtin",
        "display_name": tool_id.rpartition(".")[2].replace("_", " "),
        "origin_capability_id": pack or "builtin",
        "category": "content",
        "description": description,
        "endpoint": f"/{tool_id}",
        "methods": ["POST"],
        "danger_level": "high" if writes else "low",
        "input_schema": schema or {"type": "object", "properties": {}, "required": []},
        "enabled": True,
        "read_only": not writes,
        "allowed_agent_roles": [],
        "side_effect_level": "external_write" if writes else "none",
        "capability_code": pack,
        "risk_class": "external_write" if writes else "readonly",
        "scope": "system",
        "created_at": "2026-01-01T00:00:00Z",
        "updated_at": "2026-01-01T00:00:00Z",
    }


def playbook(code: str, name: str, pack: str | None = None, locale: str = "en") -> Item:
    shown = {"playbook_code": code, "version": "1.0.0", "locale": locale, "name": name, "kind": "user_workflow"}
    return {**shown, "description": f"{name}.", "tags": [], "required_tools": [], "capability_code": pack}


def _tools() -> list[Item]:
    day = {"type": "object", "properties": {"day": {"type": "string"}}, "required": []}
    post = {
        "type": "object",
        "properties": {"post_id": {"$ref": "#/$defs/id"}, "force": {"type": "boolean"}},
        "required": ["post_id"],
        "additionalProperties": False,
        "$defs": {"id": {"type": "integer", "minimum": 1}},
    }
    query = {
        "type": "object",
        "properties": {"workspace_id": {"type": "string"}, "query": {"type": "string"}},
        "required": ["workspace_id", "query"],
    }
    return [
        tool("workspace_query_database", "Query the database of a workspace", schema=query),
        tool("shop.list_orders", "Orders of a shop", schema=day),
        tool("shop.update_status", "Change the status of an order", writes=True),
        tool("wordpress.get_posts", "Posts of a site"),
        tool("wordpress.delete_post", "Delete a post", writes=True, schema=post),
        tool("core.workspace_package_report", "Package a report", writes=True),
    ]


ODD_TOOLS = ("web_generation.publish_site", "my-pack.get_x", "a_b.c", "a.b_c", "wp.my-site.post.create_draft")


@dataclass
class World:
    """`api_key` makes it a cloud: whoever does not show that key is refused."""

    api_key: str | None = None
    identity: str = IDENTITY
    tools: list[Item] = field(default_factory=_tools)
    playbooks: list[Item] = field(
        default_factory=lambda: [
            playbook("weekly_digest", "Weekly digest", "shop"),
            playbook("daily_planning", "Daily planning"),
        ]
    )
    packs: list[str] = field(default_factory=lambda: ["shop", "wordpress", "creative"])
    results: dict[str, Any] = field(default_factory=dict)
    workspaces: list[Item] = field(default_factory=list)
    runs: dict[str, Item] = field(default_factory=dict)
    events: list[Item] = field(default_factory=list)
    commands: dict[str, Item] = field(default_factory=dict)
    requests: list[Item] = field(default_factory=list)
    faults: BackendFaults = field(default_factory=BackendFaults)
    at_once: int = 0
    peak: int = 0

    @contextmanager
    def answering(self) -> Iterator[None]:
        self.at_once += 1
        self.peak = max(self.peak, self.at_once)
        try:
            yield
        finally:
            self.at_once -= 1

    def add_workspace(self, title: str, owner: str, workspace_id: str | None = None) -> Item:
        created = {
            "id": workspace_id or str(uuid.uuid4()),
            "title": title,
            "owner_user_id": owner,
            "execution_mode": "qa",
            "visibility": "private",
            "created_at": now(),
        }
        self.workspaces.append(created)
        return created

    def seen_workspaces(self) -> list[Item]:
        """Those of the identity that asks; whom the query names as the owner is ignored, as by the original."""
        if self.faults.owner_mismatch:
            return [each for each in self.workspaces if each["owner_user_id"] == self.identity]
        return list(self.workspaces)

    def listed_tools(self) -> list[Item]:
        odd = [tool(each, f"Odd {each}") for each in ODD_TOOLS] if self.faults.odd_packs else []
        return [each for each in [*self.tools, *odd] if each["enabled"]]

    def listed_playbooks(self) -> list[Item]:
        if not self.faults.duplicate_locales:
            return list(self.playbooks)
        others = [{**each, "locale": "zh-TW", "name": f"{each['name']} (zh)"} for each in self.playbooks]
        return [*others, *self.playbooks]

    def add_run(self, code: str, inputs: Any) -> Item:
        run = {
            "execution_id": f"exec_{secrets.token_hex(6)}",
            "playbook_code": code,
            "inputs": inputs,
            "polls_left": self.faults.polls_until_done,
            "fails": self.faults.runs_fail,
        }
        self.runs[run["execution_id"]] = run
        return run

    def add_event(self, fields: Item) -> Item:
        event = {"event_id": f"evt_{secrets.token_hex(6)}", "timestamp": now(), "created_at": now(), **fields}
        self.events.append(event)
        return event

    def swap(self, old: str, new: str) -> None:
        """Another tool in the place of one: as many as before."""
        self.tools = [tool(new, f"Now {new}") if each["tool_id"] == old else each for each in self.tools]

    def describe(self, tool_id: str, text: str) -> None:
        self.tools = [{**each, "description": text} if each["tool_id"] == tool_id else each for each in self.tools]

    def counts(self) -> dict[str, int]:
        counted: dict[str, int] = {}
        for request in self.requests:
            counted[request["route"]] = counted.get(request["route"], 0) + 1
        return counted
