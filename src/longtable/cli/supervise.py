"""`longtable serve` without what the other commands load: settings, sockets, supervisor."""

import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from longtable.cli.flags import FlagValues, plain_flags
from longtable.kernel.errors import LongtableError
from longtable.kernel.logs import logger
from longtable.server.sockets import open_sockets
from longtable.server.supervisor import ServePlan, Supervisor
from longtable.settings.checks import check_new_store
from longtable.settings.load import load_unbound
from longtable.settings.show import notices

_JSON = "--json"


def serve_plainly(argv: Sequence[str]) -> None:
    """Serves and exits. Returns where the arguments need the full command line."""
    flags = plain_flags([word for word in argv if word != _JSON])
    if flags is None:
        return
    try:
        supervise(flags, as_json=_JSON in argv)
    except LongtableError as error:
        from longtable.cli.output import say_error

        say_error(error, _JSON in argv)
        raise SystemExit(1) from None


def supervise(flags: FlagValues, *, as_json: bool) -> NoReturn:
    """Raises ConfigError, or SystemExit when everything has ended."""
    loaded = load_unbound(flags, os.environ)
    settings = loaded.settings
    logger.configure(settings.log_level)
    for sentence in notices(loaded):
        if sys.stdout.isatty():
            sys.stderr.write(sentence + "\n")
        else:
            logger.warning("configuration", notice=sentence)
    # Nowhere but on a terminal: a log or a pipe would keep the link, and with it the owner's rights.
    plan = ServePlan(settings, flags, announces=sys.stdout.isatty(), as_json=as_json)
    raise SystemExit(_serve_alone(plan) if sys.platform == "win32" else _serve_supervised(plan))


def _serve_supervised(plan: ServePlan) -> int:
    check_new_store(plan.settings)
    return Supervisor(plan, open_sockets(plan.settings)).run()


def _serve_alone(plan: ServePlan) -> int:
    """One process, where sockets cannot be inherited."""
    from longtable.cli.announce import announcer
    from longtable.server.serve import run

    if plan.settings.workers > 1:
        logger.warning("one_worker_only", reason="this system has no way to hand sockets to several")
    run(plan.settings, announcer(plan.as_json) if plan.announces else None)
    return 0
