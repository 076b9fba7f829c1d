"""What the team pins to the corkboard."""

from dataclasses import dataclass

from longtable.demo.cast import CRITIC, PLANNER, RESEARCHER, WRITER


@dataclass(frozen=True, slots=True)
class DemoFinding:
    """`replaces` is the finding whose place it takes."""

    by: str
    about: str
    text: str
    tags: tuple[str, ...]
    source: str | None = None
    replaces: "DemoFinding | None" = None


GOAL = DemoFinding(
    PLANNER,
    "the goal",
    "**Goal:** one page that a busy person reads in two minutes and that says which machine to get, "
    "what a cup costs and who cleans it.",
    ("goal",),
    "the first message of the session",
)
POLL = DemoFinding(
    RESEARCHER,
    "the poll",
    "21 of 24 people answered the poll:\n\n| drink | people |\n|---|---|\n| espresso or with milk | 14 |\n"
    "| filter coffee | 5 |\n| tea only | 2 |",
    ("poll", "people"),
    "poll of the office, 21 answers",
)
CUPS = DemoFinding(
    RESEARCHER,
    "cups a day, as people guess",
    "People *think* that they drink 52 cups a day together.",
    ("volume", "poll"),
    "poll of the office, question 2",
)
CUPS_COUNTED = DemoFinding(
    RESEARCHER,
    "cups a day, as counted",
    "Counted for a week: **61 cups** on a working day, 74 on Tuesdays. The guess of 52 was too low. "
    "With 220 working days that is 13,420 cups a year.",
    ("volume", "counted"),
    "tally sheet at the old machine",
    replaces=CUPS,
)
BEANS = DemoFinding(
    RESEARCHER,
    "the price of beans",
    "Beans cost EUR 18.50 a kilogram. At 8 g a cup that is EUR 0.15 for the coffee in it.",
    ("price", "beans"),
    "price list of the office",
)
CAPSULES = DemoFinding(
    RESEARCHER,
    "the price of capsules",
    "A capsule costs EUR 0.39. With 13,420 cups a year, capsules alone would cost EUR 5,234.",
    ("price", "capsules"),
    "price list of the office",
)
MACHINE = DemoFinding(
    RESEARCHER,
    "the price of machines",
    "List prices: filter machine EUR 420, capsule machine EUR 310, bean-to-cup machine EUR 2,190 and EUR 390 a year "
    "for service. We reckon with four years of use.",
    ("price", "machines"),
    "price list of the office",
)
WASTE = DemoFinding(
    RESEARCHER,
    "waste",
    "13,420 capsules a year fill about 40 bin bags, even when the aluminium is collected. Grounds go into the compost.",
    ("waste", "capsules"),
    "own estimate: 330 capsules to a bag",
)
CLEANING = DemoFinding(
    RESEARCHER,
    "cleaning",
    "A bean-to-cup machine wants *ten minutes every evening* (rinse the milk hose, empty the tray) and half an hour on "
    "Fridays. A filter machine wants three minutes.",
    ("cleaning", "machines"),
    "manual of the machine, chapter 6",
)
NOISE = DemoFinding(
    RESEARCHER,
    "noise",
    "The grinder reaches 68 dB at one metre. Meeting room 2 is next door.",
    ("noise", "kitchen"),
    "data sheet",
)
NOISE_MEASURED = DemoFinding(
    RESEARCHER,
    "noise, as measured",
    "Measured in meeting room 2 with the door closed: 41 dB for eight seconds, about as loud as the corridor.",
    ("noise", "kitchen", "counted"),
    "own measurement with a similar machine",
    replaces=NOISE,
)
POWER = DemoFinding(
    RESEARCHER,
    "the socket",
    "The socket in the kitchen is shared with the dishwasher. Both at once stay below 16 A, whatever machine we take.",
    ("kitchen", "machines"),
    "label on the fuse box",
)
DOUBT = DemoFinding(
    CRITIC,
    "a gap in the poll",
    "The poll asked what people like, not what they would *clean*. Nobody has agreed to ten minutes every evening yet.",
    ("doubt", "cleaning", "poll"),
)
COST = DemoFinding(
    RESEARCHER,
    "what a cup costs",
    "A cup costs EUR 0.17 (filter), EUR 0.22 (bean-to-cup) or EUR 0.40 (capsules), machine and service included. "
    "The calculation is in the scratchpad `coffee-costs`.",
    ("price", "result"),
    "scratchpad coffee-costs",
)
ROTA = DemoFinding(
    WRITER,
    "who cleans",
    "Twelve volunteers, two a week: everybody's turn comes every six weeks. The rota is in the scratchpad "
    "`cleaning-rota`.",
    ("cleaning", "people", "result"),
    "scratchpad cleaning-rota",
)
