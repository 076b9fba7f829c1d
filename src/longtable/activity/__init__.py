"""Activity: what has happened in a session, pulled from the log without a gap."""
