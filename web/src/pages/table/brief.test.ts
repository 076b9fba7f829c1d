import { expect, it } from "vitest";
import type { Schemas } from "@/api/client";
import { momentBefore, partsOf } from "@/pages/table/brief";

const BRIEF: Schemas["BriefRead"] = {
  ok: true,
  session_id: "s1",
  you: "human:me",
  as_of: "2026-01-01T00:00:00Z",
  waiting: { unread: 1, messages: [{ id: 4, sender: "ada", content: "Look at this" }] },
  plan: {
    tasks: { total: 2 },
    ready: [{ id: "t1", description: "dig", priority: "high" }],
    changed: [{ id: "t2", description: "plant", priority: "low", status: "in_progress", assigned_to: "bob" }],
  },
  agents: [
    { agent: "bob", last_active_at: "2026-01-01T00:00:00Z", task: "t2" },
    { agent: "eve", last_active_at: "2026-01-01T00:00:00Z" },
  ],
  reservations: { others: [{ path: "src/*", mode: "exclusive", expires_at: "2026-01-01T01:00:00Z", agent: "ada" }] },
  draft: [{ section_id: "intro", title: "Intro", version: 3, author: "ada" }],
  notes: { total: 9, newest: [{ id: "n9", headline: "It rains", author: "bob" }] },
};

const shown = (isNews: boolean) =>
  partsOf(BRIEF, isNews).map(({ title, lines }) => [title, lines.map(({ text, aside }) => `${text}: ${aside}`)]);

it("shows on a first visit what there is, without what is empty", () => {
  expect(shown(false)).toEqual([
    ["Messages for you", ["Look at this: ada"]],
    ["Tasks to begin", ["dig: "]],
    ["Sections", ["Intro: version 3 by ada"]],
    ["Newest notes", ["It rains: bob"]],
    ["Reserved files", ["src/*: ada"]],
    ["At work", ["bob: on t2"]],
  ]);
});

it("shows on a return the tasks that have changed, and calls the rest new", () => {
  expect(shown(true).map(([title]) => title)).toEqual([
    "Messages for you",
    "Tasks that changed",
    "Sections that changed",
    "New notes",
    "Reserved files",
    "At work",
  ]);
  expect(shown(true)).toContainEqual(["Tasks that changed", ["plant: in progress, bob"]]);
});

it("begins just before the first event that was not seen", () => {
  const event = { seq: 1, kind: "message/added" as const, session_id: "s1", actor: "ada" };
  const events = ["2026-01-01T00:00:05Z", "2026-01-01T00:00:01Z"].map((timestamp) => ({ ...event, timestamp }));

  expect(momentBefore(events)).toBe("2026-01-01T00:00:00.999Z");
  expect(momentBefore([])).toBeUndefined();
});
