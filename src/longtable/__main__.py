"""`python -m longtable` and the command `longtable`."""

import sys


def main() -> None:
    """Without a command it serves MCP over stdio, and takes a way in that loads nothing else. `serve` has one, too."""
    words = sys.argv[1:]
    if not words or words[0] == "stdio" or (words[0].startswith("--") and words[0] not in ("--help", "--version")):
        from longtable.cli.stdio import serve_stdio

        serve_stdio(words[1:] if words[:1] == ["stdio"] else words)
        return
    if words[0] == "serve":
        from longtable.cli.supervise import serve_plainly

        serve_plainly(words[1:])
    from longtable.cli.commands import run

    run()


if __name__ == "__main__":
    main()
