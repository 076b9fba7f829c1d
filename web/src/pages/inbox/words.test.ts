import { describe, expect, test } from "vitest";
import type { Decision, Item, Question } from "@/pages/inbox/data";
import { recentDecisions } from "@/pages/inbox/decided";
import { kindsOf } from "@/pages/inbox/filters";
import { decisionText, outcomeOf } from "@/pages/inbox/mutations";
import { changes } from "@/pages/inbox/unified";

describe("what became of an answer", () => {
  test("it was taken", () => {
    expect(outcomeOf({ answered: ["q1"], already_answered: [] }, "q1", "Yes")).toEqual({
      text: "Answered: Yes",
      tone: "good",
    });
  });

  test("somebody else was faster", () => {
    const outcome = outcomeOf({ answered: [], already_answered: ["q1"] }, "q1", "Yes");

    expect(outcome).toMatchObject({ tone: "late", text: expect.stringContaining("was not taken") });
  });

  test("its time was over", () => {
    const outcome = outcomeOf({ answered: [], already_answered: [], expired_or_withdrawn: ["q1"] }, "q1", "Yes");

    expect(outcome).toMatchObject({ tone: "late", text: expect.stringContaining("withdrawn or over") });
  });

  test("the question is gone", () => {
    expect(outcomeOf({ answered: [], already_answered: [] }, "q1", "Yes")).toMatchObject({ tone: "late" });
  });
});

test.each([
  [{ approve: true, reason: "", repeats: false }, "Approved, once"],
  [{ approve: true, reason: " fine ", repeats: true }, "Approved for 10 minutes: fine"],
  [{ approve: false, reason: "too many", repeats: false }, "Denied: too many"],
  [{ approve: false, reason: " ", repeats: false }, "Denied"],
])("a decision is described in words: %j", (decision, words) => {
  expect(decisionText(decision)).toBe(words);
});

test("only kinds that there are can be chosen", () => {
  const items = [{ kind: "question" }, { kind: "tool" }, { kind: "question" }] as Item[];

  expect(kindsOf(items, new Map()).map(({ id, count }) => [id, count])).toEqual([
    ["all", 3],
    ["question", 2],
    ["tool", 1],
  ]);
});

describe("what was decided lately", () => {
  const answered = (id: string, answered_at: string) =>
    ({ session_id: "s", id, answered_at, by_human: true }) as Question;
  const decided = (id: string, status: string, decided_at?: string) => ({ id, status, decided_at }) as Decision;

  test("comes from questions and decisions together, the latest first", () => {
    const list = recentDecisions(
      [answered("q1", "2026-01-01"), answered("q2", "2026-01-04")],
      [decided("d1", "denied", "2026-01-03"), decided("d2", "used", "2026-01-02")],
    );

    expect(list.map(({ id, word }) => `${id} ${word}`)).toEqual([
      "s/q2 Answered",
      "d1 Denied",
      "d2 Approved",
      "s/q1 Answered",
    ]);
  });

  test("has nothing that only ran out of time", () => {
    expect(recentDecisions([], [decided("d1", "expired"), decided("d2", "waiting")])).toEqual([]);
  });

  test("is short", () => {
    const many = Array.from({ length: 30 }, (_, index) => answered(`q${index}`, `2026-01-${index}`));

    expect(recentDecisions(many, [])).toHaveLength(10);
  });
});

describe("a comparison of the server", () => {
  test("is shown line by line, without the names of its sides", () => {
    const diff = "--- agreed\n+++ now\n@@ -1,2 +1,2 @@\n {\n-a\n+b\n@@ -9 +9 @@\n }";

    expect(changes(diff)).toEqual([
      { kind: "same", text: "{" },
      { kind: "removed", text: "a" },
      { kind: "added", text: "b" },
      { kind: "gap", text: "@@ -9 +9 @@" },
      { kind: "same", text: "}" },
    ]);
  });

  test("keeps a changed line that begins like a name", () => {
    expect(changes("--- agreed\n+++ now\n--- x\n+++ y")).toEqual([
      { kind: "removed", text: "-- x" },
      { kind: "added", text: "++ y" },
    ]);
  });

  test("may be empty", () => {
    expect(changes("")).toEqual([]);
  });
});
