"""The story, scene by scene: an office needs a coffee machine."""

from longtable.demo.cast import CRITIC, PLANNER, RESEARCHER, WRITER
from longtable.demo.coffee import notes, pads, sections, talk, tasks
from longtable.demo.coffee.sections import COSTS, OPTIONS, RECOMMENDATION, SUMMARY, DemoAnswers
from longtable.demo.people import Budget, Guests, People, Permission
from longtable.demo.table import Table


class Story:
    def __init__(self, table: Table, people: People) -> None:
        self._table = table
        self._people = people
        self._answers = DemoAnswers.assumed()

    async def play(self) -> None:
        for scene in (self._kick_off, self._research, self._first_draft, self._argument, self._figures, self._end):
            await scene()
        await self._people.settled()

    async def _kick_off(self) -> None:
        table, planner = self._table, self._table.agents[PLANNER]
        await table.says(talk.KICK_OFF)
        await table.step(PLANNER, f"makes a plan of {len(tasks.PLAN)} tasks", planner.add_tasks(tasks.PLAN))
        await table.pins(notes.GOAL)
        await table.begins(PLANNER, tasks.BUDGET)
        await self._people.ask(Budget(table, self._answers))
        pause = await table.step(PLANNER, "looks whether the work has to pause", planner.check_pause())
        if pause is not None and pause.checkpoint_id is not None:
            table.tell(PLANNER, f"sets the checkpoint {pause.checkpoint_id}; what needs no answer goes on")

    async def _research(self) -> None:
        table, researcher = self._table, self._table.agents[RESEARCHER]
        await table.says(talk.ON_IT)
        await table.begins(RESEARCHER, tasks.POLL)
        await table.pins(notes.POLL)
        await table.pins(notes.CUPS)
        await table.ends(RESEARCHER, tasks.POLL, note="21 of 24 answered.")
        await table.says(talk.RESERVATION)
        await table.begins(RESEARCHER, tasks.PRICES)
        for item, finding in (("beans", notes.BEANS), ("capsules", notes.CAPSULES)):
            await table.looks_up(RESEARCHER, item)
            await table.pins(finding)
        await table.looks_up(RESEARCHER, "bean-to-cup machine")
        await table.pins(notes.MACHINE)
        await table.ends(RESEARCHER, tasks.PRICES)
        remembered = researcher.set_memory("prices/seen", {"beans": 18.5, "capsule": 0.39, "machine": 2190})
        await table.step(RESEARCHER, "remembers the prices for other sessions", remembered)

    async def _first_draft(self) -> None:
        table = self._table
        await table.begins(WRITER, tasks.OPTIONS)
        await table.writes(WRITER, SUMMARY, sections.SUMMARY_VERSIONS[0])
        await table.writes(WRITER, OPTIONS, sections.OPTIONS_VERSIONS[0])
        await table.says(talk.TONE)
        await table.begins(RESEARCHER, tasks.COUNT)
        await table.files(pads.COSTS)
        await table.writes(WRITER, COSTS, sections.COSTS_VERSIONS[0])
        await table.begins(WRITER, tasks.GUESTS)
        await self._people.ask(Guests(table, self._answers))
        for finding in (notes.NOISE, notes.WASTE, notes.CLEANING, notes.POWER):
            await table.pins(finding)

    async def _argument(self) -> None:
        table = self._table
        await table.says(talk.STRICT)
        await table.says(talk.OBJECTION)
        await table.says(talk.DEFENCE)
        await table.pins(notes.DOUBT)
        await table.says(talk.INSISTS)
        await table.writes(WRITER, OPTIONS, sections.OPTIONS_VERSIONS[1])
        await table.files(pads.SCRAPS)
        await table.pins(notes.CUPS_COUNTED)
        await table.ends(RESEARCHER, tasks.COUNT, note="61 cups on a working day.")
        await table.files(pads.CLEANING)
        await table.pins(notes.ROTA)
        await table.says(talk.GIVES_IN)
        await table.writes(WRITER, OPTIONS, sections.OPTIONS_VERSIONS[2])
        await table.ends(WRITER, tasks.OPTIONS)

    async def _figures(self) -> None:
        table = self._table
        await table.begins(RESEARCHER, tasks.COST)
        await table.begins(CRITIC, tasks.CRITIQUE)
        await table.pins(notes.COST)
        await table.ends(RESEARCHER, tasks.COST, note="0.17, 0.22 and 0.40 EUR.")
        await table.writes(WRITER, COSTS, sections.COSTS_VERSIONS[1])
        await table.begins(RESEARCHER, tasks.OFFERS)
        await table.files(pads.OFFERS)
        await table.ends(RESEARCHER, tasks.OFFERS, "failed", tasks.OFFERS_FAILED)
        await table.pins(notes.NOISE_MEASURED)
        await table.writes(WRITER, SUMMARY, sections.SUMMARY_VERSIONS[1])
        await table.says(talk.CONTENT)
        await table.ends(CRITIC, tasks.CRITIQUE, note="Nothing left to object to.")

    async def _end(self) -> None:
        table = self._table
        await table.begins(WRITER, tasks.RECOMMEND)
        await table.writes(WRITER, RECOMMENDATION, sections.recommendation(self._answers, 0))
        await table.throws_away(pads.SCRAPS)
        await table.writes(WRITER, RECOMMENDATION, sections.recommendation(self._answers, 1))
        await table.writes(WRITER, SUMMARY, sections.SUMMARY_VERSIONS[2])
        await table.ends(WRITER, tasks.RECOMMEND)
        await table.says(talk.REFEREE)
        await table.begins(PLANNER, tasks.TRIAL)
        await table.ends(PLANNER, tasks.TRIAL, "blocked", tasks.TRIAL_BLOCKED)
        await table.begins(WRITER, tasks.SEND)
        await self._people.ask(Permission(table, self._answers))
