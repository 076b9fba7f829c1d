import type { EventKind } from "@/api/eventKinds";

/** One event of the log, as the server sends it: flat, with the payload beside the five common fields. */
export interface LiveEvent {
  seq: number;
  /** A server newer than this page may send kinds that the page does not know: read tables of kinds with `forKind`. */
  kind: EventKind;
  session_id: string | null;
  actor: string;
  timestamp: string;
  [payload: string]: unknown;
}

export function isLiveEvent(value: unknown): value is LiveEvent {
  const event = value as LiveEvent | null;
  return typeof event === "object" && event !== null && typeof event.seq === "number" && typeof event.kind === "string";
}

/** The line of a table for a kind, or nothing for a kind that was added after this page was built. */
export function forKind<Line>(table: Record<EventKind, Line>, kind: string): Line | undefined {
  return (table as Partial<Record<string, Line>>)[kind];
}
