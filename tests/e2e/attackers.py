"""Hostile clients in processes of their own, so that whoever measures shares nothing with them but the machine."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from tests.e2e.hostile import KINDS, code_of, hostile_wire
from tests.e2e.servers import Server

NICE = 10
"""They give way to the server and to whoever measures: on a small machine these would otherwise wait for a processor
instead of for the server."""
GIVE_UP = 60.0
Sent = Counter[tuple[str, str | int | None]]


@dataclass
class Attackers:
    processes: list["subprocess.Popen[bytes]"]

    def pause(self) -> None:
        """Their connections stay open, and nothing comes from them."""
        for process in self.processes:
            process.send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        for process in self.processes:
            process.send_signal(signal.SIGCONT)

    def end(self) -> Sent:
        """How often each kind was answered with which code."""
        sent: Sent = Counter()
        for process in self.processes:
            answers, _ = process.communicate(timeout=GIVE_UP)
            sent.update({(kind, code): count for kind, code, count in json.loads(answers)})
        return sent


@contextmanager
def attackers(server: Server, clients: int, processes: int) -> Iterator[Attackers]:
    """Returns when each client has had an answer."""
    command = [sys.executable, "-m", "tests.e2e.attackers", server.address]
    started = [
        subprocess.Popen(
            [*command, str(number), str(clients // processes)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        for number in range(processes)
    ]
    try:
        for process in started:
            assert process.stdout is not None
            assert process.stdout.readline() == b"attacking\n"
        yield Attackers(started)
    finally:
        for process in started:
            process.kill()
            process.communicate()


async def _attack(server: Server, number: int, sent: Sent, first_done: asyncio.Event) -> None:
    """Everything there is, one after the other, each client beginning with another kind."""
    kinds = list(KINDS)
    while True:
        kind = kinds[number % len(kinds)]
        number += 1
        try:
            async with hostile_wire(server) as wire, asyncio.timeout(GIVE_UP):
                code = code_of(await KINDS[kind].send(wire))
        except (OSError, TimeoutError, asyncio.IncompleteReadError, json.JSONDecodeError) as error:
            code = type(error).__name__
        sent[kind, code] += 1
        first_done.set()


async def _main(address: str, number: int, clients: int) -> None:
    server = Server.__new__(Server)
    server.address = address
    sent: Sent = Counter()
    done = [asyncio.Event() for _ in range(clients)]
    tasks = [
        asyncio.create_task(_attack(server, 5 * (number * clients + place), sent, done[place]))
        for place in range(clients)
    ]
    for event in done:
        await event.wait()
    print("attacking", flush=True)
    await asyncio.to_thread(sys.stdin.read)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    print(json.dumps([[kind, code, count] for (kind, code), count in sent.items()]))


if __name__ == "__main__":
    os.nice(NICE)
    asyncio.run(_main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
