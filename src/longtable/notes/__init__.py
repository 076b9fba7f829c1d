"""Notes, the corkboard: append-only, atomic, searchable."""
