"""`python -m longtable` and the command `longtable`."""

import os
import sys

_OF_THE_PROGRAM = ("--help", "--version", "--install-completion", "--show-completion")


def main() -> None:
    """Without a command it serves MCP over stdio. That, `serve`, the check of a commit and the hook of a client have
    entry points that load nothing else."""
    arguments = sys.argv[1:]
    if "_LONGTABLE_COMPLETE" in os.environ:
        from longtable.cli.commands import run

        run()
    if (
        not arguments
        or arguments[0] == "stdio"
        or (arguments[0].startswith("--") and arguments[0] not in _OF_THE_PROGRAM)
    ):
        from longtable.cli.stdio import serve_stdio

        serve_stdio(arguments[1:] if arguments[:1] == ["stdio"] else arguments)
        return
    if arguments[0] == "serve":
        from longtable.cli.supervise import serve_plainly

        serve_plainly(arguments[1:])
    if arguments == ["guard", "check"]:
        from longtable.cli.guard_check import run as check_commit

        check_commit()
    if arguments == ["hook"]:
        from longtable.cli.hook import run as run_hook

        run_hook()
    from longtable.cli.commands import run

    run()


if __name__ == "__main__":
    main()
