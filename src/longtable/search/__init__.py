"""Search: finds notes, messages and sections of a session by their words."""
