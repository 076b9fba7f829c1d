"""Reservations: who works on which files of a repository, until when."""
