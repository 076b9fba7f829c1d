"""The plan of the team, and what is noted at its tasks."""

from longtable.client import TaskToAdd
from longtable.demo.cast import CRITIC, PLANNER, RESEARCHER, WRITER

POLL, PRICES, COUNT, BUDGET = "t1", "t2", "t3", "t4"
COST, OPTIONS, CRITIQUE, RECOMMEND = "t5", "t6", "t7", "t8"
GUESTS, SEND, TRIAL, OFFERS = "t9", "t10", "t11", "t12"

PLAN: list[TaskToAdd] = [
    {"description": "Ask the office what it drinks", "assigned_to": RESEARCHER, "priority": "high"},
    {"description": "Look up what machines, beans and capsules cost", "assigned_to": RESEARCHER},
    {"description": "Count the cups of a whole week", "assigned_to": RESEARCHER, "depends_on": ["#0"]},
    {"description": "Settle the budget with the people in charge", "assigned_to": PLANNER, "priority": "high"},
    {
        "description": "Work out what a cup costs with each machine",
        "assigned_to": RESEARCHER,
        "depends_on": ["#1", "#2"],
        "priority": "high",
    },
    {"description": "Describe the three options fairly", "assigned_to": WRITER, "depends_on": ["#0", "#1"]},
    {"description": "Read the draft as somebody who disagrees", "assigned_to": CRITIC, "depends_on": ["#5"]},
    {
        "description": "Write the recommendation",
        "assigned_to": WRITER,
        "depends_on": ["#4", "#6"],
        "priority": "high",
    },
    {"description": "Say what guests are offered", "assigned_to": WRITER, "priority": "low"},
    {"description": "Send the summary to everybody in the office", "assigned_to": WRITER, "depends_on": ["#7"]},
    {
        "description": "Borrow the recommended machine for a trial week",
        "assigned_to": PLANNER,
        "depends_on": ["#7"],
        "priority": "low",
    },
    {"description": "Get written offers from three dealers", "assigned_to": RESEARCHER, "priority": "low"},
]

DESCRIPTIONS = {f"t{number}": task["description"] for number, task in enumerate(PLAN, 1)}

OFFERS_FAILED = (
    "One dealer answered, one wants to visit first, one number is out of service. Going on with list prices."
)
TRIAL_BLOCKED = "The dealer lends machines out in the first week of a month only. Ask again then."
