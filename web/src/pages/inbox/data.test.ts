import { describe, expect, test } from "vitest";
import { type Decision, nextEnd, type Pin, type Question, sorted } from "@/pages/inbox/data";

function question(id: string, asked_at: string, more: Partial<Question> = {}): Question {
  return {
    id,
    question: "Which?",
    context: null,
    asked_by: "ann",
    asked_at,
    priority: "medium",
    blocking: false,
    options: null,
    status: "pending",
    answer: null,
    answered_at: null,
    answered_by: null,
    by_human: false,
    session_id: "s1",
    purpose: "",
    ...more,
  };
}

const decision = {
  id: "d1",
  requested_at: "2026-01-01T10:00:00Z",
  expires_at: "2026-01-02T10:00:00Z",
} as unknown as Decision;
const pin = { upstream: "shelf", tool: "burn", digest: "abc", first_seen_at: "2026-01-09T00:00:00Z" } as Pin;

describe("the inbox", () => {
  test("has first what somebody waits for, then the urgent, then what waits longest", () => {
    const items = sorted(
      [
        question("q1", "2026-01-01T12:00:00Z"),
        question("q2", "2026-01-01T13:00:00Z"),
        question("q3", "2026-01-01T09:00:00Z", { blocking: true }),
        question("q4", "2026-01-01T14:00:00Z", { priority: "high" }),
        question("q5", "2026-01-01T08:00:00Z", { priority: "low" }),
        question("q6", "2026-01-01T15:00:00Z", { blocking: true, priority: "high" }),
      ],
      [decision],
      [pin],
    );

    expect(items.map(({ id }) => id)).toEqual([
      "s1/q6",
      "s1/q3",
      "d1",
      "s1/q4",
      "s1/q1",
      "s1/q2",
      "shelf/burn/abc",
      "s1/q5",
    ]);
  });

  test("tells questions of two sessions apart that have the same number", () => {
    const items = sorted([question("q1", "1"), question("q1", "2", { session_id: "s2" })], [], []);

    expect(new Set(items.map(({ id }) => id)).size).toBe(2);
  });
});

describe("the next end", () => {
  const ending = (expires_at: string) => sorted([question("q1", "1", { expires_at })], [], []);

  test("is the first that has not passed", () => {
    const items = [
      ...ending("2026-01-01T00:00:00Z"),
      ...ending("2026-01-03T00:00:00Z"),
      ...ending("2026-01-02T00:00:00Z"),
    ];

    expect(nextEnd(items, Date.parse("2026-01-01T12:00:00Z"))).toBe(Date.parse("2026-01-02T00:00:00Z"));
  });

  test("does not exist when nothing ends", () => {
    expect(nextEnd(sorted([question("q1", "1")], [], [pin]), 0)).toBeUndefined();
  });
});
