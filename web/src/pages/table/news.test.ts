import { afterEach, describe, expect, it, vi } from "vitest";
import type { EventKind } from "@/api/eventKinds";
import type { LiveEvent } from "@/live/event";
import { eventsSince, fresher, NOTHING_FRESH, newsOf } from "@/pages/table/news";

function event(seq: number, kind: EventKind, payload: Record<string, unknown> = {}): LiveEvent {
  return { seq, kind, session_id: "s1", actor: "writer", timestamp: "2026-01-01T00:00:00Z", ...payload };
}

function serving(pages: { events: LiveEvent[]; next_before: number | null }[]) {
  const requests: string[] = [];
  vi.stubGlobal("fetch", async (request: Request) => {
    requests.push(new URL(request.url).search);
    return Response.json({ ok: true, count: 0, last_seq: 9, ...pages[requests.length - 1] });
  });
  return requests;
}

afterEach(() => vi.unstubAllGlobals());

describe("what happened since somebody looked", () => {
  it("is counted by kind, in words", () => {
    const events = [
      event(5, "scratchpad/note_added"),
      event(4, "scratchpad/note_added"),
      event(3, "scratchpad/section_created"),
      event(2, "scratchpad/checklist_updated", { new_status: "completed" }),
      event(1, "scratchpad/tasks_added", { task_ids: ["t1", "t2", "t3"] }),
      event(1, "message/added"),
    ];

    expect(newsOf(events, "human:me", false).parts).toEqual([
      "2 notes",
      "1 section version",
      "1 task done",
      "3 tasks added",
      "1 message",
    ]);
  });

  it("leaves out what the person did", () => {
    expect(newsOf([event(1, "message/added", { actor: "human:me" })], "human:me", false).parts).toEqual([]);
  });

  it("marks notes and messages from the first new one on", () => {
    const events = [
      event(4, "scratchpad/note_added", { note_id: "n12" }),
      event(3, "scratchpad/note_added", { note_id: "n9" }),
      event(2, "message/added", { message_id: 40, actor: "human:me" }),
      event(1, "message/added", { message_id: 41 }),
    ];

    expect(fresher(NOTHING_FRESH, events, "human:me")).toEqual({ note: 9, message: 41 });
  });

  it("stays the same thing when nothing changes, so that nothing is drawn again", () => {
    expect(fresher(NOTHING_FRESH, [event(1, "session/closed")], "me")).toBe(NOTHING_FRESH);
  });

  it("is read page by page, back to what was seen", async () => {
    const requests = serving([
      { events: [event(9, "message/added"), event(8, "message/added")], next_before: 8 },
      { events: [event(7, "message/added"), event(5, "message/added")], next_before: 5 },
    ]);

    const { events, cut } = await eventsSince("s1", 6, new AbortController().signal);

    expect(events.map(({ seq }) => seq)).toEqual([9, 8, 7]);
    expect(cut).toBe(false);
    expect(requests).toEqual(["?limit=500", "?limit=500&before=8"]);
  });

  it("does not count what happened outside the session", async () => {
    serving([{ events: [event(9, "notebook/created", { session_id: null })], next_before: null }]);

    expect((await eventsSince("s1", 1, new AbortController().signal)).events).toEqual([]);
  });

  it("stops after some pages and says so", async () => {
    const page = (seq: number) => ({ events: [event(seq, "message/added")], next_before: seq });
    const requests = serving([page(90), page(80), page(70), page(60), page(50)]);

    const { events, cut } = await eventsSince("s1", 1, new AbortController().signal);

    expect(cut).toBe(true);
    expect(events).toHaveLength(4);
    expect(requests).toHaveLength(4);
  });
});
