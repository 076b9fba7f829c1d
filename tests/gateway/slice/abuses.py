"""Attempts to have a call run that no person has allowed: under another's approval, with other arguments, once more,
by guessed handles, or by deciding oneself."""

import random
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from longtable.kernel.caller import Role
from tests.gateway.slice.gateway import DELETE, CallResponse, GatewayServer, approve, deny, use
from tests.gateway.slice.test_binding import POST, mutations
from tests.table import Agent

CHECKOUT = "mindscape_run_shop_checkout"


@dataclass
class Abuses:
    """`handles` of calls of alice in sess_one by what became of them."""

    gateway: GatewayServer
    chance: random.Random
    handles: dict[str, str] = field(default_factory=dict)
    numbers: dict[str, str] = field(default_factory=dict)
    tried: "Counter[str]" = field(default_factory=Counter)
    codes: "Counter[str]" = field(default_factory=Counter)
    others: list[dict[str, Any]] = field(default_factory=mutations)
    tokens: dict[str, str] = field(default_factory=dict)

    async def prepare(self) -> None:
        person = await self.gateway.person()
        for state in ("used", "denied", "approved", "waiting"):
            # Each call is another one: what was refused once is refused for a while.
            asked = await use(self.alice, DELETE, inputs={**POST, "note": state})
            self.handles[state] = asked.details["confirm_token"]
            self.numbers[state] = asked.details["confirmation_id"]
            if state in ("used", "approved"):
                assert (await approve(person, asked))["ok"]
            if state == "denied":
                await deny(person, asked)
        assert (await self.call("used", self.alice)).code == "SUCCESS"
        fixed = {"agent": "alice", "session_id": "sess_one"}
        self.tokens = {
            "orchestrator": "acme-secret",
            "agent": await self.gateway.token("acme", Role.AGENT, **fixed),
            "reader": await self.gateway.token("acme", Role.READER),
            "rival": await self.gateway.token("rival", Role.OWNER),
            "nobody": "lt_nobody",
        }

    @property
    def alice(self) -> Agent:
        return self.gateway.agent("alice", "sess_one", "acme-secret")

    async def call(self, state: str, agent: Agent, name: str = DELETE, **more: Any) -> CallResponse:
        given = {"inputs": {**POST, "note": state}, "confirm_token": self.handles[state], **more}
        return await use(agent, name, given)

    async def run(self, count: int) -> None:
        ways: list[Callable[[], Awaitable[str]]] = [
            self._again,
            self._other_arguments,
            self._somebody_else,
            self._guessed_handle,
            self._other_tool,
            self._own_approval,
            self._through_the_gateway_tool,
            self._without_handle,
        ]
        for number in range(count):
            way = ways[number % len(ways)]
            self.codes[await way()] += 1
            self.tried[way.__name__.strip("_")] += 1

    async def _again(self) -> str:
        return (await self.call(self.chance.choice(("used", "denied", "waiting")), self.alice)).code

    async def _other_arguments(self) -> str:
        return (await self.call("approved", self.alice, inputs=self._other_inputs())).code

    async def _somebody_else(self) -> str:
        name, session, token = self.chance.choice(
            [
                ("bob", "sess_one", "acme-secret"),
                ("alice", "sess_two", "acme-secret"),
                ("alice", None, "acme-secret"),
                ("Alice2", "sess_one", "acme-secret"),
                ("alice", None, "rival-secret"),
            ]
        )
        return (await self.call("approved", self.gateway.agent(name, session, token))).code

    async def _guessed_handle(self) -> str:
        real = self.handles[self.chance.choice(list(self.handles))]
        at = self.chance.randrange(4, len(real))
        letter = self.chance.choice("abcXYZ019_-")
        guesses = (real[:at], real + letter, real[:at] + letter * 2 + real[at + 2 :], self.numbers["approved"], "", " ")
        guess = self.chance.choice([each for each in guesses if each not in self.handles.values()])
        return (await self.call("approved", self.alice, confirm_token=guess or "cfm_")).code

    async def _other_tool(self) -> str:
        return (await self.call("approved", self.alice, CHECKOUT)).code

    async def _own_approval(self) -> str:
        """Decides it, or says that a person did, and tries whether it runs."""
        role = self.chance.choice(list(self.tokens))
        forged = self.chance.choice(
            [{}, {"X-Caller-Agent": "human:owner"}, {"Cookie": "longtable=x"}, {"X-Role": "owner"}, {"Origin": "null"}]
        )
        headers = {"Authorization": f"Bearer {self.tokens[role]}", **forged}
        client = self.gateway.table.agent().client
        path = f"/decisions/{self.numbers['waiting']}/{self.chance.choice(('approve', 'approve/', 'APPROVE'))}"
        answer = await client.post(path, json={"for_10_minutes": True}, headers=headers)
        assert not answer.is_success, (role, forged, answer.text)
        return (await self.call("waiting", self.alice)).code

    async def _through_the_gateway_tool(self) -> str:
        return (await self.call("approved", self.alice, "gateway_call", tool=DELETE, inputs=self._other_inputs())).code

    def _other_inputs(self) -> dict[str, Any]:
        return self.chance.choice(self.others)

    async def _without_handle(self) -> str:
        return (await use(self.alice, DELETE, inputs={**POST, "note": "waiting"})).code
