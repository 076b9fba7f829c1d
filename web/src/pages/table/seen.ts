/** Up to which event a person has seen a session, and when that was. */
export interface Seen {
  seq: number;
  at: number;
}

const PREFIX = "longtable-seen:";

export function lastSeen(session: string): Seen | null {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(PREFIX + session) ?? "null");
    return isSeen(kept) ? kept : null;
  } catch {
    return null;
  }
}

export function remember(session: string, seen: Seen): void {
  try {
    localStorage.setItem(PREFIX + session, JSON.stringify(seen));
  } catch {
    // A browser without room or leave to keep things: the next visit shows no strip, nothing else is lost.
  }
}

function isSeen(value: unknown): value is Seen {
  return (
    typeof value === "object" &&
    value !== null &&
    "seq" in value &&
    "at" in value &&
    Number.isFinite(value.seq) &&
    Number.isFinite(value.at)
  );
}
