import { describe, expect, it } from "vitest";
import type { EventKind } from "@/api/eventKinds";
import type { LiveEvent } from "@/live/event";
import { belongs, callOf, familyOf, placeOf } from "@/pages/table/activity/groups";

function event(kind: EventKind, payload: Record<string, unknown> = {}): LiveEvent {
  return { seq: 1, kind, session_id: "s1", actor: "writer", timestamp: "2026-01-01T00:00:00Z", ...payload };
}

describe("groups of events", () => {
  it("sorts each kind into its part of the table", () => {
    const kinds = [
      "note_added",
      "section_updated",
      "section_read",
      "tasks_added",
      "checklist_updated",
      "question_added",
    ] as const;

    expect(kinds.map((kind) => familyOf(event(`scratchpad/${kind}`)))).toEqual([
      "notes",
      "draft",
      "reading",
      "plan",
      "plan",
      "questions",
    ]);
  });

  it("puts a redaction where the redacted text was", () => {
    expect(familyOf(event("scratchpad/redacted", { object_kind: "message" }))).toBe("messages");
  });

  it("leaves reading out of all changes", () => {
    expect(belongs(event("scratchpad/section_read"), "changes", "s1")).toBe(false);
    expect(belongs(event("scratchpad/section_read"), "reading", "s1")).toBe(true);
    expect(belongs(event("session/closed"), "changes", "s1")).toBe(true);
  });

  it("shows what belongs to no session only when that is asked for", () => {
    const outside = event("notebook/created", { session_id: null });

    expect(belongs(outside, "changes", "s1")).toBe(false);
    expect(belongs(outside, "outside", "s1")).toBe(true);
    expect(belongs(event("message/added"), "outside", "s1")).toBe(false);
  });

  it("leads to the thing itself, or to the tab that holds it", () => {
    expect(placeOf(event("message/added", { message_id: 7 }))).toBe("/messages/7");
    expect(placeOf(event("scratchpad/note_added", { note_id: "n3" }))).toBe("/notes/n3");
    expect(placeOf(event("scratchpad/checklist_updated", { item_id: "t9" }))).toBe("/plan/t9");
    expect(placeOf(event("scratchpad/tasks_added"))).toBe("/plan");
    expect(placeOf(event("session/closed"))).toBeNull();
    expect(placeOf(event("notebook/created", { session_id: null }))).toBeNull();
    expect(callOf(event("gateway/executed", { call_id: "call_1" }))).toBe("/gateway/calls/call_1");
    expect(callOf(event("gateway/executed"))).toBeNull();
  });
});
