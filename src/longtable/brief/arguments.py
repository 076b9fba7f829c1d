"""What `brief` takes."""

from pydantic import Field

from longtable.kernel.content import MomentOrAge
from longtable.toolkit.tool import Arguments


class Brief(Arguments):
    max_chars: int = Field(default=6_000, ge=1_000, le=100_000, description="Length of the answer.")
    since: MomentOrAge | None = Field(default=None, description="as_of of an earlier brief, or 24h: what changed.")
