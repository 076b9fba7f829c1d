"""`python -m longtable` and the command `longtable`."""

import sys


def main() -> None:
    """Without a command it serves MCP over stdio. That, `serve` and the check of a commit have
    entry points that load nothing else."""
    arguments = sys.argv[1:]
    if (
        not arguments
        or arguments[0] == "stdio"
        or (arguments[0].startswith("--") and arguments[0] not in ("--help", "--version"))
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
    from longtable.cli.commands import run

    run()


if __name__ == "__main__":
    main()
