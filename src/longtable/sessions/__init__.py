"""Sessions: a bounded collaboration with a purpose, a time to live and one workspace."""
