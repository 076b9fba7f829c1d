"""What the team says to each other, and what it asks of people."""

from dataclasses import dataclass
from typing import Literal

from longtable.demo.cast import CRITIC, PLANNER, RESEARCHER, WRITER


@dataclass(frozen=True, slots=True)
class DemoLine:
    """`to` is the line that it replies to."""

    by: str
    text: str
    to: "DemoLine | None" = None
    seen_by: Literal["public", "private", "agent_only"] = "public"


@dataclass(frozen=True, slots=True)
class DemoQuestion:
    by: str
    question: str
    context: str
    assumption: str
    options: tuple[str, ...] | None = None


KICK_OFF = DemoLine(
    PLANNER,
    "Good morning! One page on the new coffee machine. **researcher** finds out, **writer** writes, **critic** "
    "disagrees. The plan is on the checklist; claim what is yours.",
)
ON_IT = DemoLine(RESEARCHER, "I begin with the poll and put the prices on the corkboard as they come in.", KICK_OFF)
RESERVATION = DemoLine(
    RESEARCHER,
    "For myself: do not mix up the cups that people guess with those that I count. Last time I did.",
    seen_by="private",
)
TONE = DemoLine(
    WRITER,
    "Between the two of us: the first version of the options is a bit in love with espresso. Be strict.",
    seen_by="agent_only",
)
STRICT = DemoLine(CRITIC, "I always am. It also has two adverbs too many.", TONE, "agent_only")

OBJECTION = DemoLine(
    CRITIC,
    "I object to *everybody wants espresso*. It is **14 of 21**, and three did not answer at all. Five people drink "
    "filter coffee; the options do not even mention what they lose.",
)
DEFENCE = DemoLine(
    WRITER,
    "Two thirds is most of us. A page that mentions everything is no page any more.",
    OBJECTION,
)
INSISTS = DemoLine(
    CRITIC,
    "Then write *two thirds*. And the cleaning is missing: ten minutes every evening is the first thing that people "
    "will fight about. See my note on the corkboard.",
    DEFENCE,
)
GIVES_IN = DemoLine(
    WRITER,
    "Fair. Two thirds it is, the filter drinkers get a sentence, and cleaning gets a paragraph with a rota.",
    INSISTS,
)
CONTENT = DemoLine(CRITIC, "Read again: I have nothing left to object to. That does not happen often.", GIVES_IN)
REFEREE = DemoLine(PLANNER, "Thank you both. This is why there are two of you.", CONTENT)

BUDGET = DemoQuestion(
    PLANNER,
    "What may the machine cost at most?",
    "The options lie between EUR 310 and EUR 2,190, and the recommendation depends on it.",
    "up to EUR 2,500",
    ("up to EUR 1,000", "up to EUR 2,500", "up to EUR 5,000"),
)
GUESTS = DemoQuestion(
    WRITER,
    "What should guests of the office be offered besides coffee?",
    "One sentence is enough; it goes into the guide as it is.",
    "tea and tap water",
)

SUBJECT = "The new coffee machine, on one page"
RECIPIENTS = "everybody in the office (24 people)"
WHY = "The guide is finished. Tell everybody in the office what we recommend, and why."
