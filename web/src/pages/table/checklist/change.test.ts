import { describe, expect, it } from "vitest";
import type { Task } from "@/pages/table/checklist/board";
import { bodyOf, isTooEarly, matching, NO_EDITS } from "@/pages/table/checklist/change";

function task(id: string, more: Partial<Task> = {}): Task {
  return {
    id,
    description: `Do ${id}`,
    status: "pending",
    assigned_to: null,
    depends_on: [],
    ready: false,
    blocked_by: [],
    priority: "medium",
    version: 4,
    notes: [],
    ...more,
  };
}

describe("a change of a task", () => {
  it("is nothing while nothing differs", () => {
    const claimed = task("t1", { assigned_to: "writer" });

    expect(bodyOf(claimed, NO_EDITS)).toBeUndefined();
    expect(bodyOf(claimed, { ...NO_EDITS, status: "pending", assignee: "writer ", note: "  " })).toBeUndefined();
  });

  it("of status or assignee is about the version that was seen", () => {
    const edits = { ...NO_EDITS, status: "blocked" as const, assignee: "critic" };

    expect(bodyOf(task("t1"), edits)).toEqual({ status: "blocked", assigned_to: "critic", expected_version: 4 });
  });

  it("gives a task to anyone by an empty name", () => {
    const edits = { ...NO_EDITS, assignee: "" };

    expect(bodyOf(task("t1", { assigned_to: "writer" }), edits)).toEqual({ unassign: true, expected_version: 4 });
  });

  it("that is only a note holds whatever else has changed", () => {
    expect(bodyOf(task("t1"), { ...NO_EDITS, note: " Look here " })).toEqual({ note: "Look here" });
  });

  it("begins or completes a task too early while it waits for another", () => {
    const waiting = task("t1", { blocked_by: ["t2"] });

    expect(isTooEarly(waiting, "in_progress")).toBe(true);
    expect(isTooEarly(waiting, "completed")).toBe(true);
    expect(isTooEarly(waiting, "cancelled")).toBe(false);
    expect(isTooEarly(task("t1"), "completed")).toBe(false);
  });

  it("that comes too early needs a word of its own", () => {
    const waiting = task("t1", { blocked_by: ["t2"] });
    const edits = { ...NO_EDITS, status: "completed" as const };

    expect(bodyOf(waiting, edits)).toBeUndefined();
    expect(bodyOf(waiting, { ...edits, force: true })).toEqual({
      status: "completed",
      expected_version: 4,
      force: true,
    });
  });
});

describe("choosing among tasks", () => {
  const tasks = [task("t1"), task("t2", { status: "completed" }), task("t3"), task("t4")];

  it("offers open ones first, the newest on top", () => {
    expect(matching(tasks, [], "").map((one) => one.id)).toEqual(["t4", "t3", "t1", "t2"]);
  });

  it("finds by words and keeps what is chosen", () => {
    expect(matching(tasks, ["t2"], "do T1").map((one) => one.id)).toEqual(["t2", "t1"]);
  });
});
