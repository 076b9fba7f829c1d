"""Python imports this at its start where its folder is in PYTHONPATH."""

from tests.disks.journal import watch_from_start

watch_from_start()
