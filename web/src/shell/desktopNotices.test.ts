import { expect, test } from "vitest";
import type { LiveEvent } from "@/live/event";
import { digested, noticeOf } from "@/shell/desktopNotices";

function event(kind: string, more: Record<string, unknown> = {}): LiveEvent {
  return { seq: 7, kind, session_id: "garden", actor: "ada", timestamp: "2026-01-01T00:00:00Z", ...more } as LiveEvent;
}

test("what waits for a person is told with a way there, and without what is asked", () => {
  const asked = noticeOf(
    event("scratchpad/question_added", { blocking: true, question_id: "q3", question_preview: "swordfish?" }),
  );
  expect(asked?.path).toBe("/sessions/garden/questions/q3");
  expect(JSON.stringify(asked)).not.toContain("swordfish");
  expect(noticeOf(event("gateway/approval_requested", { decision_id: "d2" }))?.path).toBe("/inbox/approval/d2");
  const failed = event("scratchpad/checklist_updated", { new_status: "failed", item_id: "t4" });
  expect(noticeOf(failed)?.path).toBe("/sessions/garden/plan/t4");
});

test("nothing else is", () => {
  expect(noticeOf(event("scratchpad/question_added", { blocking: false, question_id: "q3" }))).toBeUndefined();
  expect(noticeOf(event("scratchpad/checklist_updated", { new_status: "completed", item_id: "t4" }))).toBeUndefined();
  expect(noticeOf(event("message/added"))).toBeUndefined();
});

test("many in a short time become one", () => {
  const times: number[] = [];
  const notice = { title: "A task has failed", body: "", tag: "a", path: "/" };
  const shown = [0, 1, 2, 3, 4, 60_000].map((moment) => digested(notice, times, moment).tag);
  expect(shown).toEqual(["a", "a", "a", "longtable-many", "longtable-many", "a"]);
});
