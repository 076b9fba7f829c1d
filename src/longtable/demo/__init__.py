"""A small team of scripted agents at work, for a newcomer to look at in the console."""

PATIENCE = 25.0
"""Seconds that an agent waits for a person."""
