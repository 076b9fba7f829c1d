"""`longtable status`: the state of each part of a running server, with its last failure."""

import os
from typing import Annotated, Any

import typer

from longtable.cli.flags import FlagValues, command_with_options
from longtable.cli.output import AsJson, say, say_json, say_table, visible
from longtable.cli.server_address import check_server_url, found_address
from longtable.kernel.errors import LongtableError, Unauthorized, UpstreamError
from longtable.settings.load import Loaded, load_unbound

_SECONDS = 5.0
_FLAGS = ("data_dir", "store", "config_file", "http_host", "http_port")
_PARTS = {"status", "store", "background"}
"""What another program that answers does not have."""
_LABELS = {"kind": "store", "free_bytes": "free", "file_bytes": "file", "log_bytes": "log"}


def register(app: typer.Typer) -> None:
    @command_with_options(app, "status", only=_FLAGS)
    def status(
        *,
        flags: FlagValues,
        url: Annotated[
            str | None, typer.Option(help="The server's address.", show_default="that of the server on the data folder")
        ] = None,
        token: Annotated[
            str | None, typer.Option(envvar="LONGTABLE_TOKEN", help="An owner's; others see it in a flag.")
        ] = None,
        as_json: AsJson = False,
    ) -> None:
        """Show the store, background work and upstreams of a running server. Exits with 1 if it cannot serve."""
        address = _address(url, load_unbound(flags, os.environ))
        found = _fetch(address, token)
        if as_json:
            say_json(found)
        else:
            _show(found, address)
        if found["status"] != "ok":
            raise typer.Exit(1)


def _address(url: str | None, loaded: Loaded) -> str:
    if url is None:
        return found_address(loaded)
    return check_server_url("url", url).rstrip("/")


def _fetch(address: str, token: str | None) -> dict[str, Any]:
    import httpx2

    headers = {"Authorization": f"Bearer {token}"} if token else {}
    try:
        response = httpx2.get(f"{address}/status", headers=headers, timeout=_SECONDS)
        answer = response.json()
    except (httpx2.HTTPError, httpx2.InvalidURL, ValueError) as error:
        raise UpstreamError(
            f"No server answers at {address}.", hint="'longtable serve' starts one; --url names another address."
        ) from error
    if response.status_code == Unauthorized.status:
        raise Unauthorized(hint="Give an owner's token with --token or LONGTABLE_TOKEN.")
    body: dict[str, Any] = answer if isinstance(answer, dict) else {}
    if not body.get("ok") or not body.keys() >= _PARTS:
        raise _refused(body)
    return body


def _refused(body: dict[str, Any]) -> LongtableError:
    found = body.get("error")
    error = found if isinstance(found, dict) else {}
    for kind in LongtableError.__subclasses__():
        if kind.code == error.get("code"):
            return kind(str(error.get("message") or error.get("error") or kind.code))
    return UpstreamError("The server answered something else than its status.")


def _show(found: dict[str, Any], address: str) -> None:
    say(f"status   {found['status']}")
    say(f"address  {address}")
    say(f"version  {found['version']}, process {found['pid']}, running for {found['uptime_seconds']:g} s")
    store = found["store"]
    facts = [f"{_LABELS.get(name, name)} {_fact(name, store[name])}" for name in store if name not in _SHOWN_APART]
    say(f"store    {store['status']}: {', '.join(facts)}")
    if store["problem"]:
        say(f"         {visible(store['problem'])}")
    say_table(("task", "status", "failures", "last failure"), [_row(task) for task in found["background"]])
    if found["workers"]:
        workers = [(each["number"], each["pid"], each["started_at"]) for each in found["workers"]]
        say_table(("worker", "process", "since"), workers)
    if found["upstreams"]:
        upstreams = [(each["name"], each["health"], each["problem"]) for each in found["upstreams"]]
        say_table(("upstream", "health", "problem"), upstreams)


_SHOWN_APART = ("status", "problem", "last_failure")


def _fact(name: str, value: Any) -> str:
    if not name.endswith("_bytes") or not isinstance(value, int):
        return visible(value)
    return f"{value / 2**20:,.1f} MiB"


def _row(task: dict[str, Any]) -> tuple[Any, ...]:
    last = task["last_failure"]
    return task["task"], task["status"], task["failures"], f"{last['at']} {last['error']}" if last else None
