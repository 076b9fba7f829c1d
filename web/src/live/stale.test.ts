import { describe, expect, test } from "vitest";
import type { EventKind } from "@/api/eventKinds";
import { keys } from "@/api/queries";
import type { LiveEvent } from "@/live/event";
import { staleAfter } from "@/live/stale";

function event(kind: EventKind, session_id: string | null = "s1"): LiveEvent {
  return { seq: 1, kind, session_id, actor: "ann", timestamp: "2026-01-01T00:00:00Z" };
}

describe("what an event makes stale", () => {
  test.each([
    ["scratchpad/note_added", "notes"],
    ["scratchpad/section_created", "draft"],
    ["scratchpad/section_updated", "draft"],
    ["scratchpad/tasks_added", "plan"],
    ["scratchpad/checklist_updated", "plan"],
    ["reservation/reserved", "reservations"],
    ["reservation/released", "reservations"],
    ["scratchpad/question_added", "questions"],
    ["scratchpad/question_answered", "questions"],
    ["scratchpad/question_expired", "questions"],
    ["scratchpad/question_withdrawn", "questions"],
    ["scratchpad/checkpoint_created", "pauses"],
    ["scratchpad/checkpoint_resumed", "pauses"],
    ["message/added", "messages"],
  ] as const)("%s: the %s of its session, and the overviews", (kind, part) => {
    const stale = staleAfter(event(kind));

    expect(stale).toEqual(
      expect.arrayContaining([
        keys.of("s1", part),
        keys.of("s1", "overview"),
        keys.of("s1", "activity"),
        keys.overview,
        keys.now,
        keys.now,
      ]),
    );
  });

  test("a note leaves the messages as they are", () => {
    expect(staleAfter(event("scratchpad/note_added"))).not.toContainEqual(keys.of("s1", "messages"));
  });

  test.each(["scratchpad/question_added", "scratchpad/question_answered", "scratchpad/question_withdrawn"] as const)(
    "%s: the inbox",
    (kind) => {
      expect(staleAfter(event(kind))).toContainEqual(keys.questions);
    },
  );

  test("a redaction: every part that can hold the text", () => {
    const stale = staleAfter(event("scratchpad/redacted"));

    for (const part of ["notes", "draft", "messages", "questions", "plan", "reservations"] as const) {
      expect(stale).toContainEqual(keys.of("s1", part));
    }
    expect(stale).toContainEqual(keys.questions);
  });

  test("a session that ends: all of it, the list of sessions, and the inbox", () => {
    expect(staleAfter(event("session/closed"))).toEqual([keys.session("s1"), keys.overview, keys.now, keys.questions]);
  });

  test("a notebook: the notebooks and the trash, and no session", () => {
    expect(staleAfter(event("notebook/changed", null))).toEqual([keys.notebooks, keys.trash]);
  });

  test.each([
    ["gateway/executed", [keys.calls, keys.intents]],
    ["gateway/tool_quarantined", [keys.pins, keys.upstreams]],
    ["gateway/authorization_changed", [keys.upstreams]],
    ["gateway/tools_changed", [keys.upstreams, keys.pins, keys.rules]],
    ["decision/waiting", [keys.decisions]],
    ["gateway/approval_requested", [keys.decisions]],
    ["gateway/approved", [keys.decisions]],
  ] as const)("%s of no session: what the gateway shows", (kind, expected) => {
    expect(staleAfter(event(kind, null))).toEqual(expected);
  });

  test("a kind that the page does not know, in a session: only the overviews", () => {
    expect(staleAfter(event("scratchpad/unheard_of" as EventKind))).toEqual([
      keys.of("s1", "overview"),
      keys.of("s1", "activity"),
      keys.overview,
      keys.now,
    ]);
  });

  test("a kind that the page does not know, in no session: nothing", () => {
    expect(staleAfter(event("weather/changed" as EventKind, null))).toEqual([]);
  });
});
