"""The one log: every change appends its event and its audit record in its own transaction."""
