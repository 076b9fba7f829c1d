"""`longtable watch`: what happens, one line for each event, from the store itself or over REST."""

import asyncio
import sys
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any
from zlib import crc32

import typer

from longtable.app import App
from longtable.background import listening_to_others
from longtable.cli.flags import FlagValues, command_with_options
from longtable.cli.human_secret import SecretFile
from longtable.cli.output import is_terminal, note, say, say_json, until_interrupted, visible
from longtable.cli.owner import no_such_session, owner_of, tool_call
from longtable.cli.server_address import check_server_url
from longtable.cli.store import STORE_FLAGS, check_tenant, on_existing_store
from longtable.cli.terminal_input import TerminalInput
from longtable.cli.watch_answer import WaitingItems, check_person, watch_and_answer
from longtable.kernel.call import Call
from longtable.kernel.caller import DEFAULT_TENANT, Caller
from longtable.kernel.errors import InvalidArgument, SessionNotFound, StoreUnavailable, UpstreamError
from longtable.log.kinds import KindFilter
from longtable.log.reader import EventFilter
from longtable.log.sentences import SeenTitles, sentence

_AWAY_SECONDS = 1.0
_COLOURS = ("cyan", "green", "magenta", "yellow", "blue", "bright_cyan", "bright_green", "bright_magenta")
_COMMON = ("seq", "kind", "session_id", "actor", "timestamp")

Events = AsyncGenerator[dict[str, Any], None]


@dataclass(frozen=True, slots=True)
class _WatchRequest:
    """`session_id` None and not tenant-wide: the only active session."""

    session_id: str | None
    tenant_wide: bool
    after: int | None
    kinds: Sequence[str]


def register(app: typer.Typer) -> None:
    @command_with_options(app, "watch", only=STORE_FLAGS)
    def watch(  # noqa: PLR0913 - each one is a flag
        *,
        flags: FlagValues,
        session: Annotated[str | None, typer.Option(help="Which session.", show_default="the only active one")] = None,
        tenant_wide: Annotated[bool, typer.Option("--tenant-wide", help="All sessions of the tenant.")] = False,
        after: Annotated[
            int | None, typer.Option(min=0, help="Begin after the event of this number.", show_default="now")
        ] = None,
        kinds: Annotated[
            list[str] | None, typer.Option(help="Only these kinds, such as scratchpad/*; repeatable.")
        ] = None,
        tenant: Annotated[str, typer.Option(help="Whose sessions, in the store.")] = DEFAULT_TENANT,
        url: Annotated[str | None, typer.Option(help="Listen to the server at this address instead.")] = None,
        token: Annotated[
            str | None, typer.Option(envvar="LONGTABLE_TOKEN", help="For that server; others see it in a flag.")
        ] = None,
        answer: Annotated[
            bool, typer.Option("--answer", help="Answer questions and decide about calls. Asks for the human secret.")
        ] = False,
        human_secret_file: SecretFile = None,
        as_json: Annotated[bool, typer.Option("--json", help="Write each event as a line of JSON.")] = False,
    ) -> None:
        """Show what happens, as it happens, until Ctrl+C or the end of the session."""
        request = _WatchRequest(session, tenant_wide, after, _kinds(kinds))
        if session is not None and tenant_wide:
            raise InvalidArgument.at("session", "excludes --tenant-wide")
        show = say_json if as_json else _on_terminal(tenant_wide) if is_terminal() else _plain
        with until_interrupted():
            if answer:
                _check_answering(url, as_json)
                checked = check_tenant(tenant)
                on_existing_store(flags, lambda app: _answer(app, checked, request, show, human_secret_file))
            elif url is None:
                caller = owner_of(check_tenant(tenant))
                on_existing_store(flags, lambda app: _show(_from_store(app, caller, request), show))
            else:
                asyncio.run(_show(_from_server(_checked(url, flags), token, request), show))


def _kinds(patterns: list[str] | None) -> list[str]:
    named = [kind.strip() for pattern in patterns or () for kind in pattern.split(",")]
    kinds = [kind for kind in named if kind]
    KindFilter.parse("kinds", kinds)
    return kinds


def _checked(url: str, flags: FlagValues) -> str:
    if flags:
        raise InvalidArgument.at("url", "excludes the options of a store")
    return check_server_url("url", url)


def _check_answering(url: str | None, as_json: bool) -> None:
    if url is not None:
        raise InvalidArgument.at("answer", "excludes --url: it works on the store, beside the server that runs on it")
    if as_json:
        raise InvalidArgument.at("answer", "excludes --json")


async def _answer(
    app: App, tenant: str, request: _WatchRequest, show: Callable[[dict[str, Any]], None], secret_file: Path | None
) -> None:
    await check_person(app, tenant, secret_file)
    caller = owner_of(tenant)
    session_id = None if request.tenant_wide else request.session_id or await _only_session(app, caller)
    terminal = TerminalInput()

    def say_above(text: str) -> None:
        with terminal.above():
            say(text)

    chosen = replace(request, session_id=session_id)
    waiting = WaitingItems(app, tenant, session_id, say_above)
    await watch_and_answer(_from_store(app, caller, chosen), show, waiting, terminal)
    note("The session is over, or you ended it.")


async def _show(events: Events, show: Any) -> None:
    async with aclosing(events):
        async for event in events:
            show(event)
    note("The session is over.")


async def _from_store(app: App, caller: Caller, request: _WatchRequest) -> Events:
    from longtable.rest.stream import listening

    async with listening_to_others(app.ledger, app.wakeups, app.feed):
        session_id = None if request.tenant_wide else request.session_id or await _only_session(app, caller)
        if session_id is not None:
            caller = caller.inside(session_id)
            await _check(app, caller, session_id)
        event_filter = EventFilter(caller, session_id, KindFilter.parse("kinds", request.kinds))
        app.ledger.observe(Call(caller, "stream_events", "events_streamed"), "SUCCESS")
        _announce(session_id)
        after, going_on = request.after, True
        while going_on:
            try:
                async with listening(app, event_filter, after) as subscription:
                    after = subscription.delivered
                    async for delivery in subscription:
                        # Dropped items are in the log: the next subscription begins there.
                        if delivery.get("lagged"):
                            break
                        after = delivery["seq"]
                        yield delivery
                    else:
                        going_on = False
            except StoreUnavailable as error:
                note(f"{error.message} Going on after event {after} as soon as it is back.")
                await asyncio.sleep(_AWAY_SECONDS)


async def _check(app: App, caller: Caller, session_id: str) -> None:
    try:
        await app.session_resolver.check(caller, session_id, to_change=False)
    except SessionNotFound:
        raise no_such_session() from None


async def _only_session(app: App, caller: Caller) -> str:
    answer = await tool_call("list_sessions", caller.tenant, {"status": "active", "limit": 2})(app)
    return _only([session["session_id"] for session in answer["sessions"]])


async def _from_server(url: str, token: str | None, request: _WatchRequest) -> Events:
    # It would double what other commands take to load.
    from longtable.client import ConnectionLost, Link, Orchestrator

    is_lost = False

    def lost(problem: ConnectionLost) -> None:
        nonlocal is_lost
        if not is_lost:
            note(f"{problem} Going on where it broke off as soon as the server answers.")
        is_lost = True

    try:
        async with Orchestrator.open(url, token, link=Link(reconnects=sys.maxsize)) as server:
            session_id = None if request.tenant_wide else request.session_id
            if session_id is None and not request.tenant_wide:
                sessions = (await server.list_sessions(status="active", limit=2)).sessions
                session_id = _only([session.session_id for session in sessions])
            _announce(session_id)
            async with aclosing(server.listen(session_id, request.after, request.kinds, lost)) as events:
                async for event in events:
                    if is_lost:
                        note("Back, and nothing was missed.")
                        is_lost = False
                    yield event.flat()
    except ConnectionLost as problem:
        raise UpstreamError(str(problem)) from problem


def _only(session_ids: list[str]) -> str:
    if len(session_ids) == 1:
        return session_ids[0]
    problem = "names which, as there is more than one" if session_ids else "is needed, as no session is active"
    raise InvalidArgument.at("session", f"{problem}; --tenant-wide shows all")


def _announce(session_id: str | None) -> None:
    whose = "all sessions" if session_id is None else visible(session_id)
    note(f"Watching {whose}. Ctrl+C ends it.")


def _plain(event: dict[str, Any]) -> None:
    say(" ".join(visible(event[name]) for name in ("timestamp", "session_id", "actor", "kind")) + _facts(event))


def _on_terminal(tenant_wide: bool) -> Any:
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False)

    titles = SeenTitles()

    def show(event: dict[str, Any]) -> None:
        moment = datetime.fromisoformat(event["timestamp"]).astimezone().strftime("%H:%M:%S")
        actor, phrase = visible(event["actor"]), visible(sentence(event, titles.of(event)))
        line = Text()
        line.append(f"{moment} ", "dim")
        if tenant_wide:
            line.append(f"{visible(event['session_id'])} ", "dim")
        if phrase.startswith(f"{actor} "):
            line.append(actor, _COLOURS[crc32(actor.encode()) % len(_COLOURS)])
            phrase = phrase.removeprefix(actor)
        line.append(phrase)
        line.append(f"  {event['seq']}", "dim")
        # It asks for the width each time, so a terminal that was resized is fitted at once.
        console.print(line, no_wrap=True, overflow="ellipsis")

    return show


def _facts(event: dict[str, Any]) -> str:
    return "".join(f" {name}={visible(value)}" for name, value in event.items() if name not in _COMMON)
