"""What the look at all agents takes."""

from longtable.toolkit.tool import Arguments


class GetNow(Arguments):
    """Nothing to choose."""
