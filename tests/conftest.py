"""For all tests, in each process that runs some."""

import signal

# A shell that starts a command in the background lets it ignore SIGINT, and each process that it starts inherits that:
# commands that go on until they are interrupted would never end.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
