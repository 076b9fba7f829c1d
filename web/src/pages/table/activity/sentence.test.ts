import { describe, expect, it } from "vitest";
import type { EventKind } from "@/api/eventKinds";
import type { LiveEvent } from "@/live/event";
import { describeEvent, type Names, sentence } from "@/pages/table/activity/sentence";

const NAMES: Names = {
  sections: new Map([["intro", "Why a garden"]]),
  tasks: new Map([["t2", "Measure the roof"]]),
  questions: new Map([["q1", "May we spend it?"]]),
};

function event(kind: EventKind, payload: Record<string, unknown> = {}): LiveEvent {
  return { seq: 1, kind, session_id: "s1", actor: "writer", timestamp: "2026-01-01T00:00:00Z", ...payload };
}

const EXPECTED: [EventKind, Record<string, unknown>, string][] = [
  ["session/created", {}, "writer opened the session"],
  ["session/closed", {}, "writer closed the session"],
  ["session/expired", {}, "The time of the session is over"],
  ["scratchpad/note_added", { note_id: "n3", content_preview: "x" }, "writer pinned note n3"],
  ["scratchpad/section_created", { section_name: "intro" }, "writer began the section “Why a garden”"],
  ["scratchpad/section_created", { section_name: "costs" }, "writer began the section “costs”"],
  ["scratchpad/section_updated", { section_name: "intro", version: 3 }, "writer wrote version 3 of “Why a garden”"],
  ["scratchpad/section_read", { section_name: "intro", reader_agent: "writer" }, "writer read “Why a garden”"],
  ["scratchpad/tasks_added", { task_ids: ["t1"], previews: ["Buy wood"] }, "writer added the task “Buy wood”"],
  ["scratchpad/tasks_added", { task_ids: ["t1", "t2"], previews: ["Buy", "Sell"] }, "writer added 2 tasks"],
  [
    "scratchpad/checklist_updated",
    { item_id: "t2", old_status: "pending", new_status: "in_progress" },
    "writer began “Measure the roof”",
  ],
  [
    "scratchpad/checklist_updated",
    { item_id: "t2", old_status: "blocked", new_status: "in_progress" },
    "writer took up “Measure the roof” again",
  ],
  ["scratchpad/checklist_updated", { item_id: "t9", new_status: "completed" }, "writer finished task t9"],
  ["scratchpad/checklist_updated", { item_id: "t2", new_status: "blocked" }, "writer is blocked at “Measure the roof”"],
  ["scratchpad/checklist_updated", { item_id: "t2", new_status: "failed" }, "writer failed at “Measure the roof”"],
  ["scratchpad/checklist_updated", { item_id: "t2", new_status: "cancelled" }, "writer cancelled “Measure the roof”"],
  ["scratchpad/checklist_updated", { item_id: "t2", new_status: "pending" }, "writer put “Measure the roof” back"],
  ["scratchpad/task_assigned", { item_id: "t2", assigned_to: "ada" }, "writer gave “Measure the roof” to ada"],
  ["scratchpad/task_assigned", { item_id: "t9", assigned_to: null }, "writer gave task t9 to nobody in particular"],
  [
    "scratchpad/task_changed",
    { item_id: "t2", changed: ["priority"] },
    "writer changed the terms of “Measure the roof”",
  ],
  ["session/forked", { forked_from: "review" }, "writer forked the session from review"],
  ["scratchpad/task_noted", { item_id: "t2", note_preview: "wet" }, "writer remarked on “Measure the roof”"],
  ["scratchpad/question_added", { question_id: "q1", blocking: false }, "writer asked"],
  ["scratchpad/question_added", { question_id: "q1", blocking: true }, "writer asked, and waits for the answer"],
  ["scratchpad/question_answered", { question_id: "q1", by_human: true }, "writer answered “May we spend it?”"],
  ["scratchpad/question_answered", { question_id: "q7" }, "writer passed on an answer to question q7"],
  ["scratchpad/question_expired", { question_id: "q1" }, "Nobody answered “May we spend it?” in time"],
  ["scratchpad/question_withdrawn", { question_id: "q1" }, "writer took back “May we spend it?”"],
  [
    "scratchpad/checkpoint_created",
    { checkpoint_id: "c1", reasons: ["blocking_question", "threshold"] },
    "writer paused the work for people: a question blocks it, many questions are open",
  ],
  ["scratchpad/checkpoint_resumed", { checkpoint_id: "c1" }, "The work can go on: what it paused for is settled"],
  ["scratchpad/redacted", { object_kind: "note", object_id: "n3", version: null }, "writer redacted note n3"],
  [
    "scratchpad/redacted",
    { object_kind: "answer", object_id: "q2", version: null },
    "writer redacted the answer to q2",
  ],
  [
    "scratchpad/redacted",
    { object_kind: "section", object_id: "intro", version: 2 },
    "writer redacted version 2 of “Why a garden”",
  ],
  ["reservation/reserved", { paths: ["src/**", "docs"], mode: "shared" }, "writer reserved src/**, docs"],
  ["reservation/released", { paths: ["docs"], held_by: "writer", forced: false }, "writer released docs"],
  ["reservation/released", { paths: ["docs"], held_by: "ann", forced: true }, "writer released docs of ann by force"],
  ["notebook/created", { scratch_id: "pad" }, "writer created the scratchpad pad"],
  ["notebook/created", { scratch_id: "pad", reason: "restored" }, "writer restored the scratchpad pad"],
  ["notebook/changed", { scratch_id: "pad", reason: "append" }, "writer added a cell to the scratchpad pad"],
  ["notebook/changed", { scratch_id: "pad", reason: "new" }, "writer changed something in the scratchpad pad"],
  ["notebook/deleted", { scratch_id: "pad" }, "writer moved the scratchpad pad to the trash"],
  ["notebook/evicted", { scratch_id: "pad" }, "The scratchpad pad made room for others and lies in the trash"],
  ["gateway/approval_requested", { tool: "mail.send" }, "writer wants to call mail.send and waits for a person"],
  ["gateway/approved", { tool: "mail.send" }, "writer allowed the call of mail.send"],
  ["gateway/denied", { tool: "mail.send" }, "writer refused the call of mail.send"],
  ["gateway/executed", { tool: "mail.send", outcome: "SUCCESS" }, "writer called mail.send"],
  ["gateway/executed", { tool: "mail.send", outcome: "TIMEOUT" }, "writer called mail.send, which failed (TIMEOUT)"],
  [
    "gateway/tool_quarantined",
    { upstream: "mail", tool: "send", reason: "changed" },
    "The tool send of mail has changed and waits for a person",
  ],
  ["gateway/authorization_changed", { upstream: "mail", state: "connected" }, "The upstream mail is connected"],
  ["gateway/tools_changed", { upstream: "mail" }, "The tools of mail may be others now"],
  ["decision/waiting", { count: 2 }, "Calls that wait for a person: 2"],
  ["message/added", { message_id: 1, visibility: "public" }, "writer said"],
  ["message/added", { message_id: 1, visibility: "private" }, "writer noted in private"],
  ["message/added", { message_id: 1, visibility: "private", to: "ada" }, "writer said to ada"],
  ["message/added", { message_id: 1, to: "ada", control: "pause" }, "writer asked ada to pause"],
  ["message/acknowledged", { message_id: 1, control: "stop" }, "writer knows that it is to stop"],
  ["message/added", { message_id: 1, visibility: "agent_only" }, "writer said to agents of the same type"],
];

describe("the sentence of an event", () => {
  it.each(EXPECTED)("of %s with %j is: %s", (kind, payload, expected) => {
    expect(sentence(event(kind, payload), NAMES)).toBe(expected);
  });

  it("says until when a session got time", () => {
    const text = sentence(event("session/extended", { expires_at: "2026-03-04T12:00:00Z" }));

    expect(text).toMatch(/^writer gave the session time until .*2026/);
  });

  it("names a kind that it does not know", () => {
    expect(sentence(event("moon/landed" as EventKind))).toBe("writer did something new to this page: moon/landed");
  });

  it("keeps the name of a long task short, and on one line", () => {
    const tasks = new Map([["t1", `Measure\n${"very ".repeat(60)}long`]]);

    const text = sentence(event("scratchpad/checklist_updated", { item_id: "t1", new_status: "completed" }), {
      ...NAMES,
      tasks,
    });

    expect(text.length).toBeLessThan(120);
    expect(text).toMatch(/^writer finished “Measure very .*…”$/);
  });

  it("carries a preview of what was written, where the event has one", () => {
    expect(describeEvent(event("message/added", { visibility: "public", content_preview: "Hello" })).preview).toBe(
      "Hello",
    );
    expect(describeEvent(event("session/closed")).preview).toBeUndefined();
  });

  it("does not fail at payloads of another shape", () => {
    expect(sentence(event("scratchpad/tasks_added", { task_ids: 3, previews: null }))).toBe("writer added 0 tasks");
  });
});
