"""Makes the recording of the README: two agents and a person at one table."""
