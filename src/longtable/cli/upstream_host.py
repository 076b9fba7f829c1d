"""The entry point of the process that runs upstream programs for workers: `python -m longtable.cli.upstream_host
DESCRIPTOR`."""

import os
import signal
import sys

from longtable.kernel.errors import LongtableError
from longtable.kernel.logs import logger
from longtable.server.child_process import SupervisorChannel, leave_signals_to_supervisor
from longtable.server.host_process import BAD_CONFIGURATION
from longtable.settings.load import load_unbound
from longtable.settings.options import Settings


def main() -> None:
    leave_signals_to_supervisor(signal.SIGTERM)
    channel = SupervisorChannel(int(sys.argv[1]))
    try:
        message = channel.first_message()
    except EOFError:
        raise SystemExit(1) from None

    def load() -> Settings:
        return load_unbound(message["flags"], os.environ).settings

    try:
        logger.configure(load().log_level)
        from longtable.server.upstream_host import run_upstream_host

        run_upstream_host(load, message["socket"], channel, is_needed=message["is_needed"])
    except LongtableError:
        # The workers read the same configuration, and report what is wrong with it.
        raise SystemExit(BAD_CONFIGURATION) from None


if __name__ == "__main__":
    main()
