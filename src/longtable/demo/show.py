"""The story from the first line to the last, and what comes after it."""

import asyncio
from dataclasses import dataclass

from longtable.demo.cast import HOST
from longtable.demo.table import Tell
from longtable.demo.team import Played, team_at


@dataclass(frozen=True, slots=True)
class Show:
    """`once` ends with the story; otherwise the team stays and reacts to people until it is cancelled."""

    pause: float
    patience: float
    once: bool
    tell: Tell

    async def perform(self, address: str, token: str | None = None) -> None:
        async with team_at(address, token, self.pause, self.patience, self.tell) as team:
            played = await team.play()
            self.tell(HOST, f"The story is over. {_open(played)}")
            if self.once:
                return
            self.tell(HOST, f"The table stays as it is at {address}, and so do the agents, until Ctrl+C")
            await team.listen()
            await asyncio.Event().wait()


def _open(played: Played) -> str:
    if played.left_open == 0:
        return "Nothing is left open for you"
    things = "1 thing is" if played.left_open == 1 else f"{played.left_open} things are"
    return f"{things} left open for you, in the inbox of the console"
