import { describe, expect, test } from "vitest";
import { type Decision, type Question, sorted } from "@/pages/inbox/data";
import { addressOf, EVERYTHING, filterOf, fits, kindsOf, searchOf } from "@/pages/inbox/filters";
import { idAt } from "@/pages/inbox/place";
import { snoozeChoices } from "@/pages/inbox/snoozing";

const items = sorted(
  [
    { id: "q1", session_id: "s/1", question: "Which machine?", purpose: "Coffee", asked_at: "1" } as Question,
    { id: "q2", session_id: "s2", question: "Who pays?", purpose: "Tea", asked_at: "2" } as Question,
  ],
  [{ id: "d1", session_id: "s2", identity: "office.send", arguments_text: '{"to":"press"}' } as Decision],
  [],
);
const nobody = new Map<string, number>();
const ids = (filter: Partial<typeof EVERYTHING>, snoozed = nobody) =>
  items.filter((item) => fits(item, { ...EVERYTHING, ...filter }, snoozed)).map(({ id }) => id);

describe("a filter", () => {
  test("chooses by kind, session and words", () => {
    expect(ids({})).toHaveLength(3);
    expect(ids({ kind: "approval" })).toEqual(["d1"]);
    expect(ids({ session: "s2" }).sort()).toEqual(["d1", "s2/q2"]);
    expect(ids({ text: "MACHINE coffee" })).toEqual(["s/1/q1"]);
    expect(ids({ text: "press" })).toEqual(["d1"]);
  });

  test("stands in the address", () => {
    const filter = { kind: "snoozed" as const, session: "s/1", text: "a b" };

    expect(filterOf(searchOf(filter))).toEqual(filter);
    expect(searchOf(EVERYTHING)).toBe("");
    expect(filterOf("kind=nonsense")).toEqual(EVERYTHING);
  });
});

describe("what is put off", () => {
  const snoozed = new Map([["d1", 1]]);

  test("is not among the others, and counted", () => {
    expect(ids({}, snoozed)).not.toContain("d1");
    expect(ids({ kind: "snoozed" }, snoozed)).toEqual(["d1"]);
    expect(kindsOf(items, snoozed).map(({ id, count }) => `${id} ${count}`)).toEqual([
      "all 2",
      "question 2",
      "snoozed 1",
    ]);
  });

  test("is never put off until it is too late", () => {
    const now = Date.parse("2026-01-01T12:00:00Z");

    expect(snoozeChoices(now, undefined)).toHaveLength(3);
    expect(snoozeChoices(now, "2026-01-01T12:30:00Z").map(({ title }) => title)).toEqual(["Snooze for 15 minutes"]);
    expect(snoozeChoices(now, "2026-01-01T12:06:00Z")).toEqual([]);
  });
});

test("an address leads to its item, whatever is in its id", () => {
  expect(items.map((item) => idAt(addressOf(item))).sort()).toEqual(items.map(({ id }) => id).sort());
  expect(idAt("/inbox")).toBeUndefined();
});
