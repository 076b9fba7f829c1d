"""Messages: what agents and people say to each other, seen only by those it is for."""
