"""What the tools answer: a class for each result and each part of one."""

from longtable_client.generated.results import *  # noqa: F403
