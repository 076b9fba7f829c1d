"""How each tool is called by acme's people: with names that rival has as well, or rival alone."""

from dataclasses import dataclass, field
from typing import Any

from tests.walls.scene import GONE, HERE, LATE, ODD, OVER, PAD, Room


@dataclass(frozen=True)
class ToolCall:
    """`arguments` may name a fact of the tenant: `$lease`, or `$cells.0` for the first of several."""

    arguments: dict[str, Any] = field(default_factory=dict)
    agent: str = "ada"
    session: str | None = HERE

    def filled(self, room: Room) -> dict[str, Any]:
        filled: dict[str, Any] = _filled(self.arguments, room)
        return filled


def _filled(value: Any, room: Room) -> Any:
    if isinstance(value, dict):
        return {name: _filled(each, room) for name, each in value.items()}
    if isinstance(value, list):
        return [_filled(each, room) for each in value]
    if isinstance(value, str) and value.startswith("$"):
        name, _, place = value[1:].partition(".")
        return room.facts[name][int(place)] if place else room.facts[name]
    return value


def _here(**arguments: Any) -> ToolCall:
    return ToolCall(arguments)


def _odd(**arguments: Any) -> ToolCall:
    return ToolCall(arguments, session=ODD)


def _by_bob(**arguments: Any) -> ToolCall:
    return ToolCall(arguments, agent="bob")


def _anywhere(**arguments: Any) -> ToolCall:
    return ToolCall(arguments, session=None)


NOTEBOOKS: dict[str, list[ToolCall]] = {
    "scratch_create": [
        _anywhere(scratch_id="new", metadata={"namespace": "lab", "tags": ["wide"]}, cells=[]),
        _anywhere(scratch_id=PAD, cells=[{"language": "txt", "content": "reset"}], on_exists="reset"),
        _anywhere(scratch_id="rivalpad", metadata={"namespace": "rivalland"}),
    ],
    "scratch_update": [
        _anywhere(scratch_id=PAD, metadata={"title": "renamed", "namespace": "yard", "tags": ["narrow"]}),
        _anywhere(scratch_id="rivalpad", metadata={"title": "renamed"}),
    ],
    "scratch_delete": [_anywhere(scratch_id=PAD), _anywhere(scratch_id="rivalpad")],
    "scratch_read": [
        _anywhere(scratch_id=PAD),
        _anywhere(scratch_id=PAD, cell_ids=["$cells.0"]),
        _anywhere(scratch_id=PAD, tags=["red"], namespaces=["lab"]),
        _anywhere(scratch_id="rivalpad"),
        _anywhere(scratch_id=GONE),
        _anywhere(scratch_id="rivalgone"),
    ],
    "scratch_list": [
        _anywhere(),
        _anywhere(namespaces=["lab"]),
        _anywhere(tags=["wide"]),
        _anywhere(tags=["red"], namespaces=["lab"]),
        _anywhere(limit=1),
    ],
    "scratch_list_cells": [
        _anywhere(scratch_id=PAD),
        _anywhere(scratch_id=PAD, limit=1),
        _anywhere(scratch_id=PAD, tags=["red"], cell_ids=["$cells.0"]),
        _anywhere(scratch_id="rivalpad"),
    ],
    "scratch_validate": [_anywhere(scratch_id=PAD), _anywhere(scratch_id=PAD, indices=[1])],
    "scratch_list_tags": [_anywhere(), _anywhere(namespaces=["lab"])],
    "scratch_append_cell": [
        _anywhere(scratch_id=PAD, cell={"language": "txt", "content": "more", "tags": ["red"]}),
        _anywhere(
            scratch_id=PAD,
            cell={
                "language": "json",
                "content": "{}",
                "validate": True,
                "json_schema": {"$ref": "scratchpad://schemas/shape"},
            },
        ),
    ],
    "scratch_replace_cell": [
        _anywhere(
            scratch_id=PAD,
            cell_id="$cells.0",
            cell={"language": "txt", "content": "instead", "tags": ["green"]},
            new_index=2,
        )
    ],
    "scratch_move_cell": [_anywhere(scratch_id=PAD, cell_id="$cells.0", new_index=2)],
    "scratch_delete_cell": [_anywhere(scratch_id=PAD, cell_id="$cells.1")],
    "scratch_list_schemas": [_anywhere(scratch_id=PAD)],
    "scratch_get_schema": [
        _anywhere(scratch_id=PAD, schema_id="$schema"),
        _anywhere(scratch_id=PAD, schema_id="shape"),
    ],
    "scratch_upsert_schema": [
        _anywhere(scratch_id=PAD, schema={"name": "shape", "description": "d", "schema": {"type": "array"}}),
        _anywhere(scratch_id=PAD, schema={"name": "other", "description": "d", "schema": {"type": "array"}}),
        _anywhere(
            scratch_id=PAD,
            schema={"id": "$schema", "name": "rivalshape", "description": "d", "schema": {"type": "null"}},
        ),
        _anywhere(
            scratch_id=PAD, schema={"id": "$schema", "name": "moved", "description": "d", "schema": {"type": "null"}}
        ),
    ],
    "scratch_delete_schema": [_anywhere(scratch_id=PAD, schema_id="$schema")],
    "scratch_namespace_list": [_anywhere()],
    "scratch_namespace_create": [_anywhere(namespace="new"), _anywhere(namespace="rivalland")],
    "scratch_namespace_rename": [
        _anywhere(old_namespace="lab", new_namespace="hall"),
        _anywhere(old_namespace="lab", new_namespace="yard", migrate_scratchpads=True),
        _anywhere(old_namespace="rivalland", new_namespace="mine"),
    ],
    "scratch_namespace_delete": [
        _anywhere(namespace="lab", delete_scratchpads=True),
        _anywhere(namespace="rivalland", delete_scratchpads=True),
    ],
    "list_trash": [_anywhere(), _anywhere(limit=1)],
    "restore_scratchpad": [_anywhere(trash_id="$trash"), _anywhere(trash_id="t:6"), _anywhere(trash_id="rivalgone")],
    "scratch_search": [
        _anywhere(query="rivalword"),
        _anywhere(query="cell", namespaces=["lab"], tags=["red"], languages=["md"]),
        _anywhere(query="cell", limit=1),
        _anywhere(query="title", limit=1),
        _anywhere(query="cell", tags=["alone"]),
        _anywhere(query="late"),
        _anywhere(query="late", tags=["wide"]),
    ],
}

WORKSPACE: dict[str, list[ToolCall]] = {
    "add_note": [
        _here(content="new", tags=["plan"], supersedes="n2"),
        _here(content="rivalword one", tags=["plan", "rivalword"], source="rivalword", idempotency_key="note-key"),
        _here(content="new", supersedes="n4"),
    ],
    "read_notes": [
        _here(),
        _here(query="rivalword"),
        _here(query="one"),
        _here(tag="plan"),
        _here(tags=["plan"], query="three"),
        _here(author="bob"),
        _odd(query="odd", tags=["odd"]),
        _here(order="newest", limit=1),
        _here(before="n2"),
        _here(after="n1"),
        ToolCall({}, session="sess_rival"),
    ],
    "count_note_tags": [_here(), _odd(), ToolCall({}, session="sess_rival")],
    "write_draft_section": [
        _here(section_id="intro", content="again", title="again"),
        _here(section_id="annex", content="ours"),
        _here(section_id="method", content="moved", position=0),
        _here(section_id="intro", content="last", position=99),
    ],
    "revert_draft_section": [_here(section_id="intro", to_version=1)],
    "read_draft": [
        _here(),
        _here(include_content=False),
        _here(section_id="intro"),
        _here(section_id="intro", version=1),
        _here(section_id="annex"),
        *(_here(offset=offset) for offset in (1, 4, 8, 16, 32)),
    ],
    "diff_draft": [_here(section_id="intro", from_version=1), _here(section_id="intro", from_version=1, to_version=2)],
    "list_sections": [_here()],
    "read_section": [_here(section_name=name) for name in ("intro", "notes", "plan", "user_answers", "annex")],
    "add_tasks": [
        _odd(tasks=[{"description": "more", "depends_on": ["t1", "t2"]}]),
        _here(tasks=[{"description": "more", "depends_on": ["t1", "t2"]}]),
        _here(tasks=[{"description": "x", "depends_on": ["t6"]}]),
    ],
    "update_task": [
        _here(task_id="t2", priority="low", depends_on=[]),
        _here(task_id="t3", depends_on=["t1"]),
        _here(task_id="t2", depends_on=["t3"]),
        _here(task_id="t1", status="completed", lease="$lease"),
        _here(task_id="t2", note="remark", assigned_to="bob"),
        _here(task_id="t6", note="remark"),
        _by_bob(task_id="t3", status="completed"),
        _by_bob(task_id="t1", status="failed", force=True),
        _odd(task_id="t1", status="completed"),
    ],
    "read_plan": [
        _odd(),
        _odd(task_id="t1"),
        _here(task_id="t1"),
        _odd(ready=True),
        _here(),
        _here(ready=True),
        _odd(status="pending"),
        _here(status="pending"),
        _here(status="in_progress"),
        _here(assigned_to="bob"),
    ],
    "claim_task": [_odd(), _here(), _by_bob(), _here(task_id="t3"), _here(task_id="t7")],
    "renew_task": [_here(task_id="t1", lease="$lease", lease_seconds=600)],
    "reserve": [
        _by_bob(paths=["ours/**"]),
        _here(paths=["alone/**"], reason="ours"),
        _here(paths=["lib"], ttl="2h"),
    ],
    "release": [
        _here(),
        _here(paths=["src/**"]),
        ToolCall({"paths": ["src/**"], "agent": "ada", "force": True}, agent="lead"),
        _here(paths=["alone/**"]),
    ],
    "list_reservations": [_here(), _by_bob(paths=["alone"])],
    "add_question": [_here(question="more?", blocking=True)],
    "withdraw_question": [_odd(question_id="q1"), _here(question_id="q1"), _here(question_id="q6")],
    "wait_for_answers": [
        _odd(question_ids=["q1"], timeout_seconds=1),
        _by_bob(question_ids=["q3"], timeout_seconds=1),
        _here(question_ids=["q1"], timeout_seconds=0),
    ],
    "get_pending_questions": [_here(), _here(priority="high", blocking=True)],
    "get_answered_questions": [_here()],
    "submit_answers": [
        ToolCall({"answers": {"q1": "yes"}}, agent="lead"),
        ToolCall({"answers": {"q6": "yes"}}, agent="lead"),
    ],
    "check_pause": [_odd(), _here(), _here(agent_requested=True), _here(threshold=0)],
    "resume_checkpoint": [
        ToolCall({"checkpoint_id": "c1"}, agent="lead", session=ODD),
        ToolCall({"checkpoint_id": "c1"}, agent="lead"),
        ToolCall({"checkpoint_id": "c2"}, agent="lead"),
    ],
    "list_checkpoints": [_here()],
    "list_questions": [_here(), _here(status="answered"), _here(limit=1)],
    "list_open_questions": [_anywhere(status="answered"), _anywhere(), _anywhere(limit=1)],
    "brief": [_here(), _by_bob(), _here(max_chars=100_000, since="2020-01-01T00:00:00Z")],
    "get_workspace": [_here(), _here(limit=1)],
    "get_now": [_anywhere()],
    "report_usage": [
        _here(model="m", input_tokens=1, output_tokens=2, cost=0.5),
        _here(model="m", input_tokens=1, output_tokens=2, task_id="t1"),
        _here(model="m", input_tokens=1, output_tokens=2, task_id="t6"),
    ],
    "list_holds": [_anywhere()],
    "undo_hold": [_anywhere(hold_id="$hold"), _anywhere(hold_id="rivalhold")],
    "get_usage": [
        *(_anywhere(by=by) for by in ("agent", "session", "day")),
        _anywhere(by="session", session_id=HERE),
    ],
    "list_tables": [_anywhere(), _anywhere(limit=1), _anywhere(status="closed", limit=1)],
    "get_table": [_odd(), _here(), ToolCall({}, session=OVER)],
    "read_events": [_here(), _here(after=3, limit=2), _here(kinds=["scratchpad/note_added"]), _by_bob()],
    "list_activity": [_here(), _here(limit=1)],
    "create_session": [
        _anywhere(session_id="sess_new", purpose="ours"),
        _anywhere(session_id=HERE),
        _anywhere(session_id="sess_rival"),
    ],
    "join_session": [_anywhere(session_id=HERE), _anywhere(session_id="sess_rival")],
    "get_session": [_anywhere(session_id=HERE), _anywhere(session_id="sess_rival")],
    "list_sessions": [_anywhere(), _anywhere(status="closed"), _anywhere(limit=1)],
    "close_session": [_anywhere(session_id=HERE), _anywhere(session_id="sess_rival")],
    "fork_session": [
        ToolCall({}),
        ToolCall({"seq": 1}),
        ToolCall({}, session=ODD),
        ToolCall({}, session="sess_rival"),
    ],
    "extend_session": [ToolCall({"ttl": "20d"}), ToolCall({"ttl": "20d"}, session="sess_rival")],
    "set_memory": [
        _anywhere(key="k1", value="new"),
        _anywhere(key="k1", value="new", session_id=HERE),
        _anywhere(key="alone", value="ours"),
    ],
    "get_memory": [_anywhere(key="k1"), _anywhere(key="k1", session_id=HERE), _anywhere(key="alone")],
    "list_memory": [_anywhere(), _anywhere(prefix="k", limit=1), _anywhere(session_id=HERE)],
    "delete_memory": [_anywhere(key="k1"), _anywhere(key="k1", session_id=HERE), _anywhere(key="alone")],
    "get_audit_log": [
        _anywhere(),
        _anywhere(event_type="note_added", agent_id="ada", session_id=HERE, limit=1),
        _anywhere(outcome="NOT_FOUND"),
        _anywhere(since="2020-01-01T00:00:00Z"),
    ],
    "verify_audit_log": [_anywhere()],
    "list_tokens": [_anywhere()],
    "create_token": [_anywhere(role="agent", name="new", agent="ada", session_id=HERE)],
    "revoke_token": [_anywhere(token_id="$spare_token")],
    "redact": [
        _here(kind="note", id="n1"),
        _here(kind="message", id="1"),
        _here(kind="section", id="intro", version=1),
        _here(kind="section", id="intro", version=2),
        _here(kind="title", id="intro"),
        _here(kind="question", id="q1"),
        _here(kind="answer", id="q3"),
        ToolCall({"kind": "answer", "id": "q1"}, session=LATE),
        _here(kind="task", id="t1"),
        _here(kind="task_note", id="t3", number=1),
        _here(kind="session", id=HERE),
        _here(kind="reservation", id="src/**"),
    ],
    "create_share": [
        _anywhere(session_id=HERE),
        _anywhere(session_id=HERE, section_id="intro"),
        _anywhere(session_id=LATE),
    ],
    "list_shares": [_anywhere(), _anywhere(session_id=HERE)],
    "revoke_share": [_anywhere(share_id="$share"), _anywhere(share_id="share_none")],
    "list_notifiers": [_anywhere()],
    "add_notifier": [_anywhere(name="another", kind="slack", to="https://hooks.example.org/services/a")],
    "test_notifier": [_anywhere(name="hook"), _anywhere(name="none")],
    "list_deliveries": [_anywhere(name="hook")],
    "remove_notifier": [_anywhere(name="hook"), _anywhere(name="none")],
    "redact_scratchpad": [_anywhere(scratch_id=PAD), _anywhere(scratch_id=GONE), _anywhere(scratch_id="rivalpad")],
    "redact_memory": [
        _anywhere(agent="ada", key="k1"),
        _anywhere(agent="ada", key="k1", session_id=HERE),
        _anywhere(agent="ada", key="alone"),
    ],
    "redact_cell": [
        _anywhere(scratch_id=PAD, cell_id="$cells.0"),
        _anywhere(scratch_id=PAD, cell_id="$late_cell"),
        _anywhere(scratch_id=GONE, cell_id="$left_cells.0"),
    ],
}

_WORDS = (("note", "three"), ("message", "public"), ("section", "text"), ("cell", "cell"), ("scratchpad", "title"))

MESSAGES: dict[str, list[ToolCall]] = {
    "add_message": [
        _here(content="new", to="bob"),
        _here(content="new", parent_message_id=2),
        _here(content="new", parent_message_id=6),
        _by_bob(content="new", visibility="private"),
    ],
    "get_messages": [
        _here(),
        _by_bob(limit=2, offset=1),
        _here(thread=1),
        _here(sender="bob", before_id=5),
        _here(after_id=1, visibility_filter="public"),
    ],
    "wait_for_messages": [_here(after_id=1, timeout_seconds=0), _here(timeout_seconds=0), _by_bob(timeout_seconds=0)],
    "search_context": [
        _here(query="one", limit=1),
        _here(query="rivalword"),
        _here(query="one", limit=5),
        _here(query="three", scope="all"),
    ],
    "search": [
        _anywhere(query="rivalword"),
        _anywhere(query="three"),
        _anywhere(query="odd"),
        _anywhere(query="late", kinds=["cell"]),
        _anywhere(query="one", session_id=HERE),
        _anywhere(query="cell", kinds=["cell", "scratchpad"], namespaces=["lab"], tags=["red"]),
        _anywhere(query="text", kinds=["section", "message", "note"]),
        *(_anywhere(query=word, kinds=[kind], limit=1, session_id=HERE) for kind, word in _WORDS[:3]),
        *(_anywhere(query=word, kinds=[kind], limit=1) for kind, word in _WORDS[3:]),
        *(_anywhere(query=word, kinds=[kind], session_id=LATE) for kind, word in _WORDS[:3]),
    ],
}

GATEWAY: dict[str, list[ToolCall]] = {
    "list_decisions": [_anywhere(), _anywhere(status="waiting")],
    "approve_decision": [_anywhere(decision_id="d1", reason="yes")],
    "deny_decision": [_anywhere(decision_id="d1", reason="no")],
    "list_upstreams": [_anywhere(), _anywhere(refresh=False)],
    "show_upstream": [_anywhere(name="docs"), _anywhere(name="rivals")],
    "add_upstream": [_anywhere(name="rivals", entry={"url": "https://acme.example/mcp"}, enabled=False)],
    "change_upstream": [_anywhere(name="docs", enabled=False), _anywhere(name="rivals", enabled=False)],
    "remove_upstream": [_anywhere(name="docs"), _anywhere(name="rivals")],
    "wait_for_decision": [_anywhere(confirmation_id="d1", wait_seconds=0)],
    "mindscape_confirm_request": [_anywhere(tool_name="mindscape_run_shop_delete_post")],
    "mindscape_confirm_status": [_anywhere(token="d1")],
    "mindscape_execution_status": [_anywhere(execution_id="x1")],
    "mindscape_execution_wait": [_anywhere(execution_id="x1", wait_seconds=0)],
    "gateway_search_tools": [_anywhere(query="post")],
    "gateway_call": [_anywhere(tool="mindscape_tool_shop_list_posts")],
    "connect_upstream": [_anywhere(upstream="docs")],
    "disconnect_upstream": [_anywhere(upstream="docs")],
    "list_quarantine": [_anywhere()],
    "list_rules": [_anywhere()],
    "list_intents": [_anywhere(), _anywhere(conversation_id="c")],
    "read_call": [_anywhere(call_id="call_none")],
    "list_calls": [_anywhere(), _anywhere(session_id=HERE)],
    "accept_tool": [_anywhere(upstream="shop", tool="changed")],
    "switch_upstream": [_anywhere(upstream="shop", on=False)],
    "set_rules": [_anywhere(rules=[])],
}

TOOL_CALLS = {**WORKSPACE, **MESSAGES, **NOTEBOOKS, **GATEWAY}
