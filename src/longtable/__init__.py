"""Longtable: the shared table of a team of AI agents."""

__version__ = "0.1.0"
