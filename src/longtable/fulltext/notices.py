"""What the answer to a search says besides what it found."""

from longtable.kernel.result import Result, omitted_if_none


class SearchNotices(Result):
    warming: bool | None = omitted_if_none()
    """The model is being loaded: the same search will find more in a moment."""

    degraded: str | None = omitted_if_none()
    """Why the search was simpler than requested."""

    corrected: dict[str, str] | None = omitted_if_none()
    """Words of the query that no text has, and the spelling that was searched for instead."""

    indexing: int | None = omitted_if_none()
    """How many of the texts that were searched cannot be found by their words yet, after an upgrade; at most 1000."""

    pending: int | None = omitted_if_none()
    """How many of the texts that were searched cannot be found by their meaning yet; at most 1000."""
