import { describe, expect, test } from "vitest";
import { type Session, withoutRepeats } from "@/pages/sessions/data";
import { firstNames, gains, matches, planOf, questionsOf, titleOf } from "@/pages/sessions/words";

function session(more: Partial<Session> = {}): Session {
  return {
    session_id: "session_1",
    purpose: "Plan the roof garden",
    metadata: {},
    created_by: "lead",
    created_at: "2026-01-01T00:00:00Z",
    expires_at: "2026-01-02T00:00:00Z",
    status: "active",
    agents: ["ann", "bob", "cleo", "dan"].map((agent) => ({ agent, last_active_at: "2026-01-01T00:00:00Z" })),
    agent_count: 6,
    tasks: { pending: 1, in_progress: 1, completed: 2, blocked: 0, failed: 0, cancelled: 3, total: 7 },
    progress: 0.5,
    open_questions: 0,
    blocking_questions: 0,
    notes: 0,
    sections: 0,
    messages: 0,
    last_activity_at: "2026-01-01T00:00:00Z",
    ...more,
  };
}

describe("a filter", () => {
  test.each(["roof", "GARDEN plan", "cleo", "session_1", "lead roof", ""])("finds it by %j", (query) => {
    expect(matches(session(), query)).toBe(true);
  });

  test.each(["kitchen", "roof kitchen"])("does not find it by %j", (query) => {
    expect(matches(session(), query)).toBe(false);
  });
});

test("a session without a purpose is called by its id", () => {
  expect(titleOf(session({ purpose: "" }))).toBe("session_1");
});

test("some agents are named, the others counted", () => {
  expect(firstNames(session())).toEqual({ names: ["ann", "bob", "cleo"], more: 3 });
});

test("cancelled tasks are not part of the plan", () => {
  expect(planOf(session())).toEqual({ done: 2, of: 4 });
});

test.each([
  [0, 0, "No open question"],
  [1, 0, "1 open question"],
  [1, 1, "1 open question, blocking"],
  [3, 1, "3 open questions, 1 blocking"],
])("%i open questions, %i of them blocking, are described in words", (open_questions, blocking_questions, words) => {
  expect(questionsOf(session({ open_questions, blocking_questions }))).toBe(words);
});

test("only more time than there is can be given", () => {
  const now = Date.parse("2026-01-01T22:00:00Z");

  expect(gains(session(), 3_600_000, now)).toBe(false);
  expect(gains(session(), 3 * 3_600_000, now)).toBe(true);
});

test("a session that moved between two pages is listed once", () => {
  expect(withoutRepeats([session(), session({ session_id: "other" }), session()])).toHaveLength(2);
});
