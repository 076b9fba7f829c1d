"""Every command of `longtable`: where it is, what it does in a sentence, and what people type. A command is loaded when
it is run or explained, so that none of them waits for the others."""

import functools
import importlib
from dataclasses import dataclass
from typing import Any, Final

import typer
import typer.main
from typer.core import TyperCommand, TyperGroup

# Typer exports no name for the base class of usage errors, only for this subclass.
USAGE_ERROR: Final[type[Exception]] = typer.BadParameter.__mro__[1]

_SERVE: Final = "Serve and look"
_AGENTS: Final = "People and agents"
_DATA: Final = "The store"


@dataclass(frozen=True, slots=True)
class CommandEntry:
    """`modules` of `longtable.cli`: the first has `group` or `register`, the others add commands to that group."""

    name: str
    modules: tuple[str, ...]
    panel: str
    summary: str
    examples: tuple[str, ...] = ()


ENTRIES: Final = (
    CommandEntry(
        "serve",
        ("serve",),
        _SERVE,
        "Serve MCP, REST and the console over HTTP until a signal asks to stop.",
        ("longtable serve", "longtable serve --http-port 9000 --data-dir ~/team", "longtable serve --auth tokens"),
    ),
    CommandEntry(
        "stdio",
        ("lean_commands",),
        _SERVE,
        "Serve MCP over standard input and output, as without a command.",
        ("longtable stdio", "longtable stdio --agent ada"),
    ),
    CommandEntry(
        "demo",
        ("demo",),
        _SERVE,
        "Watch four scripted agents plan, write, argue, ask you and wait for your permission.",
        ("longtable demo", "longtable demo --fast --once"),
    ),
    CommandEntry(
        "console",
        ("console",),
        _SERVE,
        "Show how to sign in to the console; while auth is off, make a one-time link for it.",
        ("longtable console",),
    ),
    CommandEntry(
        "status",
        ("status",),
        _SERVE,
        "Show the store, background work and upstreams of a running server.",
        ("longtable status", "longtable status --url https://table.example.org"),
    ),
    CommandEntry(
        "watch",
        ("watch",),
        _SERVE,
        "Show what happens, as it happens, until Ctrl+C or the end of the session.",
        ("longtable watch", "longtable watch --tenant-wide --kinds 'task/*'"),
    ),
    CommandEntry(
        "doctor",
        ("doctor",),
        _SERVE,
        "Look for what is wrong, and name the remedy.",
        ("longtable doctor", "longtable doctor --fix"),
    ),
    CommandEntry(
        "bench",
        ("bench",),
        _SERVE,
        "Measure this machine: a server on a store of its own, for some seconds.",
        ("longtable bench", "longtable bench --seconds 2 --json"),
    ),
    CommandEntry(
        "config",
        ("config",),
        _SERVE,
        "Show every option with its value and its source.",
        ("longtable config", "longtable config --config-file longtable.json --json"),
    ),
    CommandEntry(
        "connect",
        ("connect",),
        _AGENTS,
        "Add Longtable to the configuration of an MCP client.",
        ("longtable connect claude-code", "longtable connect cursor --http --print", "longtable connect --all --undo"),
    ),
    CommandEntry("token", ("token",), _AGENTS, "Create, list and revoke tokens."),
    CommandEntry(
        "human-secret",
        ("human_secret",),
        _AGENTS,
        "The secret with which a person at a terminal tells that they are one.",
    ),
    CommandEntry("sessions", ("sessions",), _AGENTS, "List, show, create, fork, extend and close sessions."),
    CommandEntry("decisions", ("decisions",), _AGENTS, "List, approve and deny calls that wait for a person."),
    CommandEntry(
        "upstreams",
        ("upstreams", "upstream_import"),
        _AGENTS,
        "List, add, change, remove and connect the servers whose tools are offered.",
    ),
    CommandEntry(
        "notifiers", ("notifiers",), _AGENTS, "List, add, test and remove where people are called for what waits."
    ),
    CommandEntry("guard", ("guard",), _AGENTS, "Have git refuse commits to files that another agent has reserved."),
    CommandEntry(
        "hook",
        ("lean_commands",),
        _AGENTS,
        "Run as a hook of Claude Code, whose plugin calls it: the event comes on standard input.",
        ("longtable hook < event.json",),
    ),
    CommandEntry(
        "backup",
        ("backup",),
        _DATA,
        "Write a consistent copy of the store while servers go on writing, and check it.",
        ("longtable backup table.db", "longtable backup table.encrypted --passphrase-file ~/.table-passphrase"),
    ),
    CommandEntry(
        "restore",
        ("backup",),
        _DATA,
        "Make a store from a backup, in a data folder that has none, and verify its audit log.",
        ("longtable restore table.db --data-dir restored",),
    ),
    CommandEntry(
        "migrate",
        ("migrate",),
        _DATA,
        "Copy the store to another engine, row by row, and compare both.",
        ("longtable migrate --to postgresql://longtable@db.example.org/longtable", "longtable migrate --to new-folder"),
    ),
    CommandEntry(
        "export",
        ("export",),
        _DATA,
        "Write what the store holds to a file, while servers go on writing.",
        ("longtable export everything.jsonl", "longtable export one.jsonl --session session_0123456789abcdef"),
    ),
    CommandEntry(
        "import",
        ("import_file",),
        _DATA,
        "Bring an export into the store, beside what is there, or what another program has kept into a new session.",
        (
            "longtable import everything.jsonl",
            "longtable import one.jsonl --tenant acme --on-conflict skip",
            "longtable import .beads/issues.jsonl --dry-run",
        ),
    ),
    CommandEntry("trash", ("trash",), _DATA, "List and restore scratchpads that were deleted, reset or evicted."),
    CommandEntry("audit", ("audit",), _DATA, "Verify and export the audit log."),
    CommandEntry(
        "reindex",
        ("reindex",),
        _DATA,
        "Make the search index anew from the texts: words, then vectors.",
        ("longtable reindex --all",),
    ),
    CommandEntry(
        "completion",
        ("completion",),
        _DATA,
        "Print a script that completes commands and options in a shell.",
        (
            "longtable completion bash >> ~/.bashrc",
            "longtable completion fish > ~/.config/fish/completions/longtable.fish",
        ),
    ),
)
BY_NAME: Final = {entry.name: entry for entry in ENTRIES}

EXAMPLES: Final = {
    "audit export": ("longtable audit export --output audit.jsonl",),
    "audit verify": ("longtable audit verify", "longtable audit verify --tenant acme --json"),
    "decisions approve": ("longtable decisions approve d7",),
    "decisions deny": ("longtable decisions deny d7 --reason 'Not on a Friday.'",),
    "decisions list": ("longtable decisions list",),
    "guard check": ("longtable guard check",),
    "guard install": ("longtable guard install --agent ada",),
    "guard status": ("longtable guard status",),
    "guard uninstall": ("longtable guard uninstall",),
    "human-secret set": ("longtable human-secret set",),
    "notifiers add": (
        "longtable notifiers add phone --kind ntfy --to https://ntfy.example.org/our-topic",
        "longtable notifiers add mail --kind email --to ada@example.org --events question,approval",
    ),
    "notifiers list": ("longtable notifiers list", "longtable notifiers list --deliveries phone"),
    "notifiers remove": ("longtable notifiers remove phone",),
    "notifiers test": ("longtable notifiers test phone",),
    "sessions close": ("longtable sessions close review",),
    "sessions create": ("longtable sessions create --session-id review --purpose 'Review the release'",),
    "sessions extend": ("longtable sessions extend review --ttl 7d",),
    "sessions fork": ("longtable sessions fork review", "longtable sessions fork review --at 1200"),
    "sessions list": ("longtable sessions list --status active",),
    "sessions show": ("longtable sessions show review",),
    "token create": (
        "longtable token create --tenant acme --role human --name carla",
        "longtable token create --tenant acme --role agent --agent ada --session review --expires 7d",
    ),
    "token list": ("longtable token list --tenant acme",),
    "token revoke": ("longtable token revoke token_1",),
    "trash list": ("longtable trash list",),
    "trash restore": ("longtable trash restore trash_1",),
    "upstreams add": (
        "longtable upstreams add files -- npx -y @modelcontextprotocol/server-filesystem .",
        "longtable upstreams add docs --url https://docs.example.org/mcp --accept",
    ),
    "upstreams disable": ("longtable upstreams disable files",),
    "upstreams enable": ("longtable upstreams enable files",),
    "upstreams import": ("longtable upstreams import cursor",),
    "upstreams list": ("longtable upstreams list",),
    "upstreams login": ("longtable upstreams login docs",),
    "upstreams logout": ("longtable upstreams logout docs",),
    "upstreams remove": ("longtable upstreams remove files",),
}


@functools.cache
def load_command(name: str) -> Any:
    """The command or group itself, with its examples."""
    entry = BY_NAME[name]
    first, *others = (importlib.import_module(f"longtable.cli.{module}") for module in entry.modules)
    app = typer.Typer(rich_markup_mode="rich")
    # So that the application stays a group, however few commands there are.
    app.callback()(lambda: None)
    if hasattr(first, "group"):
        for module in others:
            module.register(first.group)
        app.add_typer(first.group, name=name)
    else:
        first.register(app)
    root: Any = typer.main.get_command(app)
    command = root.commands[name]
    command.rich_help_panel = entry.panel
    _complete(command, entry.examples)
    for each, below in getattr(command, "commands", {}).items():
        _complete(below, EXAMPLES.get(f"{name} {each}", ()))
    return command


def _complete(command: Any, examples: tuple[str, ...]) -> None:
    if examples:
        command.epilog = "\n\n".join(["[bold]Examples[/bold]", *(f"  {each}" for each in examples)])
    parameters_of = command.get_params
    command.get_params = lambda context: _without_kind_of_flags(parameters_of(context))
    parse = command.parse_args
    command.parse_args = lambda context, words: _parsed(parse, context, words)


def _parsed(parse: Any, context: Any, words: list[str]) -> Any:
    """A flag without its value is the one mistake of which the parser does not say in which command it was made."""
    try:
        return parse(context, words)
    except USAGE_ERROR as mistake:
        mistake.ctx = mistake.ctx or context  # type: ignore[attr-defined]  # they have it
        raise


def _without_kind_of_flags(parameters: list[Any]) -> list[Any]:
    """A flag that takes no value is shown without one."""
    for parameter in parameters:
        if getattr(parameter, "is_flag", False) and parameter.metavar is None:
            parameter.metavar = ""
    return parameters


class CommandGroup(TyperGroup):
    """Lists all commands by their table, and loads the one that is run."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        for entry in ENTRIES:
            self.commands[entry.name] = TyperCommand(entry.name, help=entry.summary, rich_help_panel=entry.panel)

    def get_params(self, ctx: Any) -> list[Any]:
        return _without_kind_of_flags(super().get_params(ctx))

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, command, rest = super().resolve_command(ctx, args)
        return name, load_command(name) if name in BY_NAME else command, rest
