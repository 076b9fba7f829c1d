import { describe, expect, it } from "vitest";
import type { Span } from "@/pages/now/data";
import { lanesOf, SHOWN, sparkline, spoken } from "@/pages/now/lanes";

const NOW = Date.parse("2026-01-01T12:00:00Z");
const at = (hoursAgo: number) => new Date(NOW - hoursAgo * 3_600_000).toISOString();

function span(agent: string, from: number, to: number | undefined, kind: Span["kind"] = "task"): Span {
  const shown = { agent, session_id: "s1", kind, label: "Paint", from: at(from) };
  return to === undefined ? shown : { ...shown, to: at(to) };
}

describe("lanes", () => {
  it("put what goes on at the right end, and what is over before it", () => {
    const [lane] = lanesOf([span("ann", 3, 1), span("ann", 1, undefined)], NOW);

    expect(lane?.bars.map(({ left, width, running }) => [left, width, running])).toEqual([
      [0.5, 1 / 3, false],
      [5 / 6, expect.closeTo(1 / 6), true],
    ]);
  });

  it("cut what began earlier and leave out what ended earlier", () => {
    const lanes = lanesOf([span("ann", 9, 3), span("bob", 9, 7)], NOW);

    expect(lanes.map((lane) => [lane.agent, lane.bars[0]?.left])).toEqual([["ann", 0]]);
    expect(SHOWN).toBe(6 * 3_600_000);
  });

  it("keep agents of the same name in two sessions apart", () => {
    expect(lanesOf([span("ann", 1, 0), { ...span("ann", 1, 0), session_id: "s2" }], NOW)).toHaveLength(2);
  });

  it("are told to those who do not see them", () => {
    const [lane] = lanesOf([span("ann", 2, 1), span("ann", 1, 0, "wait"), span("ann", 1, 0, "wait")], NOW);

    expect(lane && spoken(lane)).toBe("ann: 1 task, 2 waits for people");
  });
});

describe("a sparkline", () => {
  it("goes from the left to the right, the most at the top", () => {
    expect(sparkline([0, 2, 1], 20, 10)).toBe("M0 10L10 0L20 5");
  });

  it("lies at the bottom where nothing happened", () => {
    expect(sparkline([0, 0], 20, 10)).toBe("M0 10L20 10");
  });
});
