"""Who sits at the table of the demo, by the names that their connections carry."""

PLANNER = "planner"
RESEARCHER = "researcher"
WRITER = "writer"
CRITIC = "critic"

# What is for agents of one type only stays between those two that work on the text.
TYPES = {PLANNER: "lead", RESEARCHER: "research", WRITER: "editorial", CRITIC: "editorial"}

HOST = "demo"
"""Who creates the sessions."""
