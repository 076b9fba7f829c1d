"""Checkers: what is wrong with a text, by its language. They run in worker processes and know nothing of the server."""
