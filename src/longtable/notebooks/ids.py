"""How the id of a scratchpad is written."""

import re

SCRATCH_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")
