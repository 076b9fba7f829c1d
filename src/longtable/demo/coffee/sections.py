"""The guide itself, as it grows: each section in the versions that the writer goes through."""

from dataclasses import dataclass

from longtable.demo.coffee import talk

SUMMARY, OPTIONS, COSTS = "summary", "options", "costs"
RECOMMENDATION, GUESTS = "recommendation", "guests"

TITLES = {
    SUMMARY: "In short",
    OPTIONS: "The three options",
    COSTS: "What a cup costs",
    RECOMMENDATION: "What we recommend",
    GUESTS: "For guests",
}


@dataclass(slots=True)
class DemoAnswer:
    """What a person said, word for word; or, until then, what the team assumes."""

    text: str
    by: str | None = None

    @property
    def quoted(self) -> str:
        """As a quotation: whatever it says, it stays a person's words inside our text."""
        words = "\n".join(f"> {line}".rstrip() for line in self.text.splitlines()) or ">"
        return (
            f"{words}\n\nSo we were told." if self.by else f"{words}\n\nThat is our assumption: nobody has said so yet."
        )


@dataclass(slots=True)
class DemoAnswers:
    budget: DemoAnswer
    guests: DemoAnswer

    @classmethod
    def assumed(cls) -> "DemoAnswers":
        return cls(DemoAnswer(talk.BUDGET.assumption), DemoAnswer(talk.GUESTS.assumption))


SUMMARY_VERSIONS = (
    "We need a new coffee machine. This page says which one.\n",
    "We drink **61 cups** on a working day. Two thirds of us want espresso or something with milk, and a quarter "
    "filter coffee. Three machines could do it.\n",
    "We drink **61 cups** on a working day. Two thirds of us want espresso or something with milk, and a quarter "
    "filter coffee.\n\n- A cup costs between EUR 0.17 and EUR 0.40.\n- Capsules are the dearest and leave the most "
    "waste.\n- Whatever we get, somebody has to clean it: there is a rota.\n",
)

OPTIONS_VERSIONS = (
    "Everybody wants espresso, so there is really only one choice.\n\n"
    "1. **Bean-to-cup machine.** Wonderful coffee, truly and effortlessly.\n"
    "2. **Capsule machine.** Quick.\n"
    "3. **Filter machine.** Cheap.\n",
    "Two thirds of us want espresso or something with milk.\n\n"
    "1. **Bean-to-cup machine.** Grinds for each cup; makes everything on the list but filter coffee.\n"
    "2. **Capsule machine.** Quick and clean, but the waste of 13,420 capsules a year is ours.\n"
    "3. **Filter machine.** Cheap and quiet. No espresso.\n",
    "Two thirds of us want espresso or something with milk; five people want filter coffee.\n\n"
    "| machine | for whom | cleaning | what it cannot do |\n|---|---|---|---|\n"
    "| bean-to-cup | 14 of 21 | 10 minutes every evening | filter coffee |\n"
    "| capsules | 14 of 21 | hardly any | go without waste: 13,420 capsules a year |\n"
    "| filter | 5 of 21 | 3 minutes every evening | espresso |\n\n"
    "**Who drinks filter coffee** keeps the old jug beside a bean-to-cup machine.\n\n"
    "**Cleaning** is shared: twelve volunteers, two a week, so everybody's turn comes every six weeks.\n",
)

COSTS_VERSIONS = (
    "With 52 cups a day, 220 days a year and four years of use:\n\n"
    "| machine | a cup |\n|---|---|\n| filter | EUR 0.17 |\n| bean-to-cup | EUR 0.23 |\n| capsules | EUR 0.40 |\n",
    "With **61** cups a day (counted, not guessed), 220 days a year and four years of use:\n\n"
    "| machine | coffee | machine and service | a cup |\n|---|---|---|---|\n"
    "| filter | EUR 0.16 | EUR 0.01 | EUR 0.17 |\n"
    "| bean-to-cup | EUR 0.15 | EUR 0.07 | **EUR 0.22** |\n"
    "| capsules | EUR 0.39 | EUR 0.01 | EUR 0.40 |\n\n"
    "The calculation is in the scratchpad `coffee-costs`.\n",
)

_FRUGAL, _ENOUGH, _GENEROUS = talk.BUDGET.options or ("", "", "")
_CHOICES = {
    _FRUGAL: "the **filter machine** for EUR 420: it is the only one within the budget that keeps the bin empty",
    _ENOUGH: "the **bean-to-cup machine** for EUR 2,190: it makes what two thirds of us drink",
    _GENEROUS: "the **bean-to-cup machine** for EUR 2,190 with the service contract, and a filter jug beside it",
}
_OTHERWISE = "the **bean-to-cup machine** for EUR 2,190, as far as what we were told about money allows it"


def choice(budget: DemoAnswer) -> str:
    return _CHOICES.get(budget.text, _OTHERWISE)


def recommendation(answers: DemoAnswers, version: int) -> str:
    """The first version is short; the second has taken the critic's objections in."""
    text = f"About the budget:\n\n{answers.budget.quoted}\n\nWe recommend {choice(answers.budget)}.\n"
    if version == 0:
        return text
    return (
        text
        + "\n**What speaks against it:** ten minutes of cleaning every evening. The rota has twelve names; without "
        "them, take the filter machine.\n\n**Noise:** 41 dB in meeting room 2, about as loud as the corridor.\n"
    )


def guests(answers: DemoAnswers) -> str:
    return f"Besides coffee, guests are offered:\n\n{answers.guests.quoted}\n"


def mail(answers: DemoAnswers) -> str:
    """What everybody is to read."""
    return (
        f"Hello,\n\nwe have found out which coffee machine we should get: {choice(answers.budget)}.\n\n"
        "- A cup costs between EUR 0.17 and EUR 0.40, depending on the machine.\n"
        "- Twelve people have said that they clean it, two a week.\n"
        "- The whole page is on the table, with all that we have counted.\n\nYour team\n"
    ).replace("**", "")
