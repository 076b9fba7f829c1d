import { expect, test } from "vitest";
import type { LiveEvent } from "@/live/event";
import { dayTitle, linesOf } from "@/pages/table/activity/lines";

const NOON = Date.parse("2026-03-02T12:00:00");
const event = (seq: number, minutes: number, actor = "ann", kind = "scratchpad/note_added"): LiveEvent =>
  ({ seq, kind, actor, timestamp: new Date(NOON + minutes * 60_000).toISOString() }) as LiveEvent;
const shape = (events: LiveEvent[], open: string[] = []) =>
  linesOf(events, new Set(open)).map((line) => (line.kind === "day" ? "day" : line.id));

test("each day begins with a line of its own", () => {
  expect(shape([event(3, 1), event(2, 0), event(1, -24 * 60)])).toEqual(["day", 3, 2, "day", 1]);
});

test("many alike that come close together are one line until somebody opens it", () => {
  const events = [event(9, 9, "bob"), event(5, 4), event(4, 3), event(3, 2), event(2, 1)];

  expect(shape(events)).toEqual(["day", 9, "burst 2"]);
  expect(shape(events, ["burst 2"])).toEqual(["day", 9, "burst 2", 4, 3, 2]);
});

test("what another did, what is of another kind and what came much later is no part of it", () => {
  const events = [event(5, 60), event(4, 3, "bob"), event(3, 2, "ann", "message/added"), event(2, 1), event(1, 0)];

  expect(shape(events)).toEqual(["day", 5, 4, 3, 2, 1]);
});

test("the last two days have names", () => {
  expect(dayTitle(event(1, 0).timestamp, NOON)).toBe("Today");
  expect(dayTitle(event(1, -24 * 60).timestamp, NOON)).toBe("Yesterday");
  expect(dayTitle(event(1, -72 * 60).timestamp, NOON)).toBe("Friday, February 27, 2026");
});
