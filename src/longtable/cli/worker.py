"""The entry point of a worker that a supervisor has started: `python -m longtable.cli.worker DESCRIPTOR`."""

import os
import sys

from longtable.kernel.errors import LongtableError
from longtable.kernel.logs import logger
from longtable.server.child_process import SupervisorChannel, leave_signals_to_supervisor
from longtable.settings.load import load_unbound


def main() -> None:
    leave_signals_to_supervisor()
    channel = SupervisorChannel(int(sys.argv[1]))
    try:
        message = channel.first_message()
    except EOFError:
        raise SystemExit(1) from None
    try:
        settings = load_unbound(message["flags"], os.environ).settings
        logger.configure(settings.log_level)
        from longtable.cli.announce import announcer
        from longtable.server.worker import run_worker

        run_worker(settings, message, channel, announcer(message["as_json"]) if message["announces"] else None)
    except LongtableError as error:
        from longtable.cli.output import say_error

        say_error(error, message["as_json"])
        raise SystemExit(1) from None


if __name__ == "__main__":
    main()
