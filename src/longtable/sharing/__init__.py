"""Sharing: a link with which anybody reads one session, or one section of its draft, until it ends."""
