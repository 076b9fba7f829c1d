"""`longtable notifiers`: where people are called when something waits for them."""

from typing import Annotated, Any

import typer

from longtable.cli.flags import FlagValues, command_with_options
from longtable.cli.human_secret import SecretFile, as_person
from longtable.cli.output import AsJson, note, say, say_json, say_result, say_rows, visible
from longtable.cli.owner import tool_call
from longtable.cli.store import STORE_FLAGS, on_existing_store, on_store
from longtable.kernel.caller import DEFAULT_TENANT

group = typer.Typer(help="List, add, test and remove where people are called for what waits.")

Tenant = Annotated[str, typer.Option(help="Whose notifiers.")]
Name = Annotated[str, typer.Argument(metavar="NAME")]
_SENDING = ("public_url", "smtp_host", "smtp_port", "smtp_security", "smtp_user", "smtp_from")


@command_with_options(group, "list", only=STORE_FLAGS)
def list_notifiers(
    flags: FlagValues,
    deliveries: Annotated[str | None, typer.Option(metavar="NAME", help="List what this one has sent.")] = None,
    tenant: Tenant = DEFAULT_TENANT,
    as_json: AsJson = False,
) -> None:
    """List the notifiers of a tenant, or what one of them has sent."""
    if deliveries is not None:
        _list_deliveries(flags, deliveries, tenant, as_json=as_json)
        return
    answer = on_existing_store(flags, tool_call("list_notifiers", tenant, {}))
    rows = [
        (each["name"], each["kind"], each["to"], ",".join(each["events"]), each["status"], _last(each))
        for each in answer["notifiers"]
    ]
    say_rows(answer, ("notifier", "kind", "to", "events", "status", "last"), rows, as_json)


@command_with_options(group, "add", only=STORE_FLAGS)
def add(  # noqa: PLR0913 - each one is a flag
    *,
    flags: FlagValues,
    name: Name,
    kind: Annotated[str, typer.Option(help="webhook, ntfy, slack or email.")],
    to: Annotated[str, typer.Option(metavar="ADDRESS", help="A URL, for email an e-mail address.")],
    events: Annotated[
        str | None, typer.Option(help="Of question, approval, task_failed, agent_silent; with commas. Default: all.")
    ] = None,
    allow_private: Annotated[
        bool, typer.Option("--allow-private", help="Allow an address of this machine or its private networks.")
    ] = False,
    tenant: Tenant = DEFAULT_TENANT,
    human_secret_file: SecretFile = None,
    as_json: AsJson = False,
) -> None:
    """Have people called when something waits for them. The secret of a webhook is shown this once. Asks for the human
    secret, where one is set."""
    arguments: dict[str, Any] = {"name": name, "kind": kind, "to": to, "allow_private": allow_private}
    if events is not None:
        arguments["events"] = [each.strip() for each in events.split(",") if each.strip()]
    answer = on_store(flags, as_person("add_notifier", tenant, arguments, human_secret_file, "notifier"))
    if as_json:
        say_json(answer)
        return
    say(f"{visible(name)} is added.")
    if answer["secret"] is not None:
        say(f"Its secret, which is shown only now: {answer['secret']}")
    note(f"'longtable notifiers test {visible(name)}' sends a notice at once.")


@command_with_options(group, "remove", only=STORE_FLAGS)
def remove(
    flags: FlagValues,
    name: Name,
    tenant: Tenant = DEFAULT_TENANT,
    human_secret_file: SecretFile = None,
    as_json: AsJson = False,
) -> None:
    """Remove a notifier and its log. Asks for the human secret, where one is set."""
    answer = on_existing_store(
        flags, as_person("remove_notifier", tenant, {"name": name}, human_secret_file, "notifier")
    )
    say_result(answer, f"{visible(name)} is removed.", as_json)


@command_with_options(group, "test", only=(*STORE_FLAGS, *_SENDING))
def send_test(flags: FlagValues, name: Name, tenant: Tenant = DEFAULT_TENANT, as_json: AsJson = False) -> None:
    """Send a notice at once, from here. Ends with 1 where it was not delivered."""
    answer = on_existing_store(flags, tool_call("test_notifier", tenant, {"name": name}))
    if as_json:
        say_json(answer)
    elif answer["delivered"]:
        say("Delivered.")
    else:
        note(f"Not delivered: {visible(answer['delivery'].get('problem') or '')}")
    if not answer["delivered"]:
        raise typer.Exit(1)


def _list_deliveries(flags: FlagValues, name: str, tenant: str, *, as_json: bool) -> None:
    answer = on_existing_store(flags, tool_call("list_deliveries", tenant, {"name": name}))
    rows = [
        (each["created_at"], each["type"], each["covers"], each["status"], each["attempts"], each.get("problem", ""))
        for each in answer["deliveries"]
    ]
    say_rows(answer, ("created", "type", "covers", "status", "attempts", "problem"), rows, as_json)


def _last(notifier: dict[str, Any]) -> str:
    last = notifier.get("last_delivery")
    return "" if last is None else f"{last['status']} {last.get('attempted_at', '')}"
