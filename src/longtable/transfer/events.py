"""What imports and forks tell the log."""

from longtable.log.model import Event


def forked(source: str, seq: int) -> Event:
    return Event("session/forked", {"forked_from": source, "fork_seq": seq})


def imported(origin: str) -> Event:
    return Event("session/imported", {"origin": origin})
