"""`longtable upstreams`: the servers whose tools are offered."""

import typer

from longtable.cli import upstream_login

group = typer.Typer(help="Connect and disconnect the servers whose tools are offered.")
upstream_login.register(group)
