"""The plan: tasks, which of them wait for which, and who is at work on what."""
