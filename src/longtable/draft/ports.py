"""What the draft needs from other slices: the texts that it shows as sections."""

from collections.abc import Awaitable, Callable

from longtable.kernel.caller import Caller
from longtable.storage.database import Transaction

VirtualSection = Callable[[Transaction, Caller], Awaitable[str]]
"""Renders a text from other things of the caller's session, as far as this caller may see them."""
