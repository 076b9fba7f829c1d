"""Usage: what the models of agents read, wrote and cost, as the agents report it."""
