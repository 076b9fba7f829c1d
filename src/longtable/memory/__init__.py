"""Memory: what an agent keeps for itself, in a session or across them. Nobody else reads it."""
