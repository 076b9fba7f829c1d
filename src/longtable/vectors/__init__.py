"""Vectors of texts: written soon after a text, deleted with it, and searched for the nearest ones."""
