"""How long to wait before a process that died is started again: not at all, unless it dies again and again."""

FIRST_PAUSE = 0.25
LONGEST_PAUSE = 30.0
STEADY_AFTER = 10.0
"""Seconds after which a process counts as one that works."""


class RestartPause:
    def __init__(self) -> None:
        self._early_deaths = 0

    def after_death(self, worked: float) -> float:
        """The seconds to wait after a process died that had worked for so long."""
        if worked >= STEADY_AFTER:
            self._early_deaths = 0
            return 0.0
        self._early_deaths = min(self._early_deaths + 1, 16)
        if self._early_deaths == 1:
            return 0.0
        return float(min(FIRST_PAUSE * 2 ** (self._early_deaths - 2), LONGEST_PAUSE))
