import type { LiveEvent } from "@/live/event";

/** What stands on a line: the beginning of a day, an event, or the newest of several alike that came close together. */
export type ActivityRow =
  | { kind: "day"; id: string; at: string }
  | { kind: "event"; id: number; event: LiveEvent }
  | { kind: "burst"; id: string; events: LiveEvent[] };

/** So many at least are a burst. */
const LEAST = 4;
/** Neighbours in a burst are not further apart, in milliseconds. */
const GAP = 120_000;

/** The events, newest first, with a line for each day. Bursts that are named in `open` are not folded. */
export function linesOf(events: LiveEvent[], open: ReadonlySet<string>): ActivityRow[] {
  const lines: ActivityRow[] = [];
  let day = "";
  for (let index = 0; index < events.length; ) {
    const run = runAt(events, index);
    const first = run[0] as LiveEvent;
    const itsDay = dayOf(first);
    if (itsDay !== day) lines.push({ kind: "day", id: `day ${itsDay}`, at: first.timestamp });
    day = itsDay;
    lines.push(...linesOfRun(run, open));
    index += run.length;
  }
  return lines;
}

function linesOfRun(run: LiveEvent[], open: ReadonlySet<string>): ActivityRow[] {
  const all = run.map((event): ActivityRow => ({ kind: "event", id: event.seq, event }));
  if (run.length < LEAST) return all;
  const burst: ActivityRow = { kind: "burst", id: burstId(run), events: run };
  return open.has(burst.id) ? [burst, ...all.slice(1)] : [burst];
}

/** Named after its oldest event, so that it is the same burst while it grows. */
function burstId(run: LiveEvent[]): string {
  return `burst ${run.at(-1)?.seq}`;
}

function runAt(events: LiveEvent[], start: number): LiveEvent[] {
  let end = start + 1;
  while (end < events.length && areAlike(events[end - 1] as LiveEvent, events[end] as LiveEvent)) end += 1;
  return events.slice(start, end);
}

function areAlike(later: LiveEvent, earlier: LiveEvent): boolean {
  const close = Date.parse(later.timestamp) - Date.parse(earlier.timestamp) <= GAP;
  return close && later.kind === earlier.kind && later.actor === earlier.actor && dayOf(later) === dayOf(earlier);
}

/** Where the person is. */
function dayOf(event: LiveEvent): string {
  return new Date(event.timestamp).toDateString();
}

const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const days = new Intl.DateTimeFormat("en", { weekday: "long", day: "numeric", month: "long", year: "numeric" });

export function clockTime(at: string): string {
  return clock.format(Date.parse(at));
}

/** A day in words. */
export function dayTitle(at: string, now: number): string {
  const day = new Date(at).toDateString();
  if (day === new Date(now).toDateString()) return "Today";
  if (day === new Date(now - 86_400_000).toDateString()) return "Yesterday";
  return days.format(Date.parse(at));
}
