import type { Schemas } from "@/api/client";
import { LONGEST_TIMER } from "@/parts/timers";

/** The interval between requests while the clocks of browser and server differ. */
const SHORTEST = 5_000;

/** Milliseconds until a session has expired, or false for one that cannot any more. */
export function untilExpired(session: Pick<Schemas["TableView"], "status" | "expires_at"> | undefined): number | false {
  if (session?.status !== "active") return false;
  return Math.min(Math.max(Date.parse(session.expires_at) - Date.now() + 1_000, SHORTEST), LONGEST_TIMER);
}
