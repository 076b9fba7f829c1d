"""The scratchpads of the team: what outlives the session."""

from dataclasses import dataclass
from typing import Any

from longtable.client import CellInput
from longtable.demo.cast import CRITIC, RESEARCHER, WRITER

COFFEE, OFFICE = "coffee", "office"

_CALCULATION = '''\
CUPS_A_DAY, DAYS, YEARS = 61, 220, 4
CUPS = CUPS_A_DAY * DAYS


def cost_of_cup(coffee: float, machine: float, service: float = 0.0) -> float:
    """EUR, with the machine spread over the years that we use it."""
    return round(coffee + (machine / YEARS + service) / CUPS, 2)


print("filter", cost_of_cup(coffee=0.16, machine=420))
print("bean-to-cup", cost_of_cup(coffee=0.15, machine=2190, service=390))
print("capsules", cost_of_cup(coffee=0.39, machine=310))
'''

_QUERY = """\
SELECT drink, COUNT(*) AS people
FROM poll
WHERE answered_at IS NOT NULL
GROUP BY drink
ORDER BY people DESC;
"""

_READ_ME = """\
# What a cup costs

- **61 cups** on a working day, counted
- 220 working days, four years of use
- service only where the manual asks for it

What is left out: water, electricity, and the time of whoever cleans.
"""

_OFFER_SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["dealer", "machine", "price"],
    "properties": {
        "dealer": {"type": "string", "minLength": 1},
        "machine": {"enum": ["filter", "capsules", "bean-to-cup"]},
        "price": {"type": "number", "exclusiveMinimum": 0},
        "valid_days": {"type": "integer", "minimum": 1},
    },
    "additionalProperties": False,
}

_OFFER = """\
{
  "dealer": "the one around the corner",
  "machine": "bean-to-cup",
  "price": 2190.0,
  "valid_days": 30
}
"""

_WRONG_OFFER = """\
{
  "dealer": "the one by the station",
  "machine": "bean to cup",
  "price": "about two thousand"
}
"""

_BROKEN_OFFER = """\
{
  "dealer": "the one who answers by phone only",
  "machine": "filter"
  "price": 395.0
}
"""

_ROTA = """\
rota:
  - week: 1
    people: [Ana, Bo]
  - week: 2
    people: [Cem, Dana]
  - week: 3
    people: [Eli, Fay]
every_evening:
  - rinse the milk hose
  - empty the tray
on_fridays: [descale, wipe the grinder]
"""

_SCRAPS = "52 cups? 60? Ask again on Tuesday. Buy sugar."

CALCULATION: CellInput = {"language": "py", "content": _CALCULATION, "validate": True, "tags": ["calculation"]}
QUERY: CellInput = {"language": "sql", "content": _QUERY, "validate": True, "tags": ["poll"]}
READ_ME: CellInput = {"language": "md", "content": _READ_ME, "validate": True, "tags": ["explanation"]}
_SHARED = {"$ref": "scratchpad://schemas/offer"}
OFFER: CellInput = {"language": "json", "content": _OFFER, "validate": True, "json_schema": _SHARED, "tags": ["offer"]}
WRONG_OFFER: CellInput = {**OFFER, "content": _WRONG_OFFER}
BROKEN_OFFER: CellInput = {**OFFER, "content": _BROKEN_OFFER}
ROTA: CellInput = {"language": "yaml", "content": _ROTA, "validate": True, "tags": ["rota"]}


@dataclass(frozen=True, slots=True)
class Pad:
    """`cells` are there from the beginning, `added` come one by one."""

    by: str
    scratch_id: str
    metadata: dict[str, Any]
    cells: tuple[CellInput, ...]
    added: tuple[CellInput, ...] = ()


COSTS = Pad(
    RESEARCHER,
    "coffee-costs",
    {"title": "What a cup costs", "namespace": COFFEE, "tags": ["calculation"], "summary": "Three machines compared."},
    (READ_ME,),
    (CALCULATION, QUERY),
)
OFFERS = Pad(
    RESEARCHER,
    "coffee-offers",
    {
        "title": "Offers of dealers",
        "namespace": COFFEE,
        "tags": ["offers"],
        "schemas": {"offer": {"description": "What a dealer offers.", "schema": _OFFER_SCHEMA}},
    },
    (OFFER,),
    (WRONG_OFFER, BROKEN_OFFER),
)
CLEANING = Pad(
    WRITER,
    "cleaning-rota",
    {"title": "Who cleans when", "namespace": OFFICE, "tags": ["rota"], "description": "Twelve people, two a week."},
    (ROTA,),
    ({"language": "md", "content": "Swap freely, but tell the other one.\n", "tags": ["rule"]},),
)
SCRAPS = Pad(
    CRITIC,
    "coffee-scraps",
    {"title": "Scraps", "namespace": COFFEE},
    ({"language": "txt", "content": _SCRAPS},),
)
