"""`longtable decisions`: what agents want to do and a person must allow, decided at the terminal."""

import json
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from longtable.app import App
from longtable.cli.flags import FlagValues, command_with_options
from longtable.cli.human_secret import SecretFile, require_person
from longtable.cli.output import AsJson, note, say, say_json, say_result, visible
from longtable.cli.owner import owner_of, tool_call
from longtable.cli.store import STORE_FLAGS, check_tenant, on_existing_store
from longtable.identity.human_secret import has_human_secret
from longtable.kernel.call import Call
from longtable.kernel.caller import DEFAULT_TENANT
from longtable.kernel.errors import Forbidden

group = typer.Typer(help="List, approve and deny calls that wait for a person.")

Tenant = Annotated[str, typer.Option(help="Whose decisions.")]
DecisionId = Annotated[str, typer.Argument(metavar="ID", help="Such as d7.")]
Reason = Annotated[str | None, typer.Option(help="Why; an agent that is refused is told.")]
Status = Literal["waiting", "approved", "denied", "expired", "used"]


@command_with_options(group, "list", only=STORE_FLAGS)
def list_decisions(
    flags: FlagValues,
    tenant: Tenant = DEFAULT_TENANT,
    status: Annotated[Status | None, typer.Option(help="Only those.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=500, help="At most so many.")] = 50,
    as_json: AsJson = False,
) -> None:
    """List what waits for a person and what was decided, newest first."""
    answer = on_existing_store(flags, tool_call("list_decisions", tenant, {"status": status, "limit": limit}))
    if as_json:
        say_json(answer)
        return
    for decision in answer["decisions"]:
        _show(decision)
    if not answer["decisions"]:
        note("There are no decisions." if status is None else f"No decision is {status}.")
    if answer["waiting"]:
        note(f"{answer['waiting']} waiting: 'longtable decisions approve ID' or 'longtable decisions deny ID'.")


@command_with_options(group, "approve", only=STORE_FLAGS)
def approve(
    flags: FlagValues,
    decision_id: DecisionId,
    tenant: Tenant = DEFAULT_TENANT,
    human_secret_file: SecretFile = None,
    for_10_minutes: Annotated[bool, typer.Option(help="The same call may be repeated meanwhile.")] = False,
    as_json: AsJson = False,
) -> None:
    """Let a call be made, once, within five minutes. Asks for the human secret."""
    arguments = {"decision_id": decision_id, "for_10_minutes": for_10_minutes}
    answer = on_existing_store(flags, _decided("approve_decision", tenant, arguments, human_secret_file))
    _show_outcome(answer, "approved", as_json)


@command_with_options(group, "deny", only=STORE_FLAGS)
def deny(
    flags: FlagValues,
    decision_id: DecisionId,
    tenant: Tenant = DEFAULT_TENANT,
    human_secret_file: SecretFile = None,
    reason: Reason = None,
    as_json: AsJson = False,
) -> None:
    """Refuse a call. Asks for the human secret."""
    arguments = {"decision_id": decision_id, "reason": reason}
    answer = on_existing_store(flags, _decided("deny_decision", tenant, arguments, human_secret_file))
    _show_outcome(answer, "denied", as_json)


def _show(decision: dict[str, Any]) -> None:
    """Everything: a table would cut off what the decision is about."""
    say(f"{decision['id']}  {decision['status']}  {visible(decision['tool'])}")
    say(f"    by {visible(decision['requested_by'])} at {decision['requested_at']}")
    if decision.get("relayed"):
        say(f"    decided through the client of {visible(decision['decided_by'])}")
    if decision["why"]:
        say(f"    because: {visible(decision['why'])}")
    say(f"    {visible(decision['arguments_text'])}")
    for number, step in enumerate(decision.get("steps", ()), 1):
        inputs = visible(json.dumps(step["inputs"], ensure_ascii=False))
        later = "" if step["fixed"] else "  (some of it from an earlier result)"
        say(f"    step {number}: {visible(step['tool'])} {inputs}{later}")


def _decided(tool: str, tenant: str, arguments: dict[str, Any], path: Path | None) -> Any:
    async def work(app: App) -> dict[str, Any]:
        if not await has_human_secret(app.database):
            raise Forbidden(
                "No human secret is set, so decisions are made in the console only.",
                hint="Set one with 'longtable human-secret set'.",
            )
        refusal = Call(owner_of(check_tenant(tenant)), tool, "decision_refused")
        await require_person(app, path, refusal, f"decision:{arguments['decision_id']}"[:200])
        return await tool_call(tool, tenant, arguments)(app)

    return work


def _show_outcome(answer: dict[str, Any], outcome: str, as_json: bool) -> None:
    decision = answer["decision"]
    sentence = f"{decision['id']} is {outcome}: {visible(decision['tool'])} for {visible(decision['requested_by'])}."
    say_result(answer, sentence, as_json)
