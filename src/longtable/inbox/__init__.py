"""The inbox: tells an agent, beside any result, that messages or answers wait for it."""
