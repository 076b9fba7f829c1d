"""`longtable upstreams login` and `logout`: the authorization of an upstream, begun and ended at the terminal."""

from pathlib import Path
from typing import Annotated, Any

import typer

from longtable.app import App
from longtable.cli.flags import FlagValues, command_with_options
from longtable.cli.human_secret import SecretFile, refused, require_person
from longtable.cli.output import AsJson, is_terminal, say_result, visible
from longtable.cli.owner import owner_of, tool_call
from longtable.cli.server_address import server_address
from longtable.cli.store import STORE_FLAGS, check_tenant, on_existing_store
from longtable.gateway.results import ConnectLink
from longtable.kernel.call import Call
from longtable.kernel.caller import DEFAULT_TENANT
from longtable.kernel.errors import Forbidden

Name = Annotated[str, typer.Argument(metavar="NAME", help="Name of the upstream.")]
Tenant = Annotated[str, typer.Option(help="Whose upstream.")]


def register(group: typer.Typer) -> None:
    @command_with_options(group, "login", only=(*STORE_FLAGS, "http_host", "http_port"))
    def login(
        flags: FlagValues,
        name: Name,
        tenant: Tenant = DEFAULT_TENANT,
        human_secret_file: SecretFile = None,
        as_json: AsJson = False,
    ) -> None:
        """Print a link that leads a browser to the authorization server of an upstream, once, within ten minutes. Asks
        for the human secret, once one is set."""
        answer = on_existing_store(flags, lambda app: _begin(app, check_tenant(tenant), name, human_secret_file))
        use = f"Open it in a browser to connect {visible(name)}. It works once, until {answer['expires_at']}."
        say_result({"ok": True, **answer}, answer["link"], as_json, use)

    @command_with_options(group, "logout", only=STORE_FLAGS)
    def logout(
        flags: FlagValues,
        name: Name,
        tenant: Tenant = DEFAULT_TENANT,
        human_secret_file: SecretFile = None,
        as_json: AsJson = False,
    ) -> None:
        """Delete the tokens of an upstream and have them revoked. Asks for the human secret, once one is set."""

        async def work(app: App) -> dict[str, Any]:
            await require_person(app, human_secret_file, refused("disconnect_upstream", check_tenant(tenant)))
            return await tool_call("disconnect_upstream", tenant, {"upstream": name})(app)

        answer = on_existing_store(flags, work)
        revoked = "and revoked" if answer["revoked"] else "but its authorization server did not revoke them"
        say_result(answer, f"The tokens of {visible(name)} are deleted, {revoked}.", as_json)


async def _begin(app: App, tenant: str, name: str, human_secret_file: Path | None) -> dict[str, str]:
    if not is_terminal():
        raise Forbidden(
            "Whoever opens the link connects the upstream, so it is shown on a terminal only.",
            hint="Run it in a terminal yourself.",
        )
    await require_person(app, human_secret_file, refused("connect_upstream", tenant))
    owner = await app.names.with_stored_name(owner_of(tenant))
    begun = Call(owner, "connect_upstream", "upstream_connection_begun")
    link: ConnectLink = await app.slices.gateway.authorizations.start(begun, name)
    return {"upstream": name, "link": server_address(app.settings) + link.link, "expires_at": link.expires_at}
