/** One event of the log, as the server tells it: flat, with the payload beside the five common fields. */
export interface LiveEvent {
  seq: number;
  kind: string;
  session_id: string | null;
  actor: string;
  timestamp: string;
  [payload: string]: unknown;
}

export function isLiveEvent(value: unknown): value is LiveEvent {
  const event = value as LiveEvent | null;
  return typeof event === "object" && event !== null && typeof event.seq === "number" && typeof event.kind === "string";
}
