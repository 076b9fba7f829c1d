import { describe, expect, it } from "vitest";
import type { Task } from "@/pages/table/checklist/board";
import { bodyOfMove, byKey, dropped, moveInWords, needsConfirmation } from "@/pages/table/checklist/moving";

const task = (more: Partial<Task> = {}): Task => ({
  id: "t1",
  description: "Do it",
  status: "pending",
  assigned_to: null,
  depends_on: [],
  ready: true,
  blocked_by: [],
  priority: "medium",
  version: 4,
  notes: [],
  ...more,
});

describe("a task that is dropped", () => {
  it("takes the status of another column", () => {
    const move = dropped(task(), "completed", undefined);

    expect(move && bodyOfMove(move, false)).toEqual({ status: "completed", expected_version: 4 });
  });

  it("takes the priority of the task of its own column that it is dropped on", () => {
    const move = dropped(task(), "pending", task({ id: "t2", priority: "high" }));

    expect(move && bodyOfMove(move, false)).toEqual({ priority: "high", expected_version: 4 });
    expect(move && moveInWords(move)).toBe("Task t1 has high priority now.");
  });

  it("stays as it is where it was", () => {
    expect(dropped(task(), "pending", undefined)).toBeUndefined();
    expect(dropped(task({ status: "failed" }), "ended", undefined)).toBeUndefined();
  });
});

describe("a task that is moved by key", () => {
  it("goes from column to column and no further than the last", () => {
    expect(byKey(task(), "ArrowRight")?.status).toBe("in_progress");
    expect(byKey(task(), "ArrowLeft")).toBeUndefined();
    expect(byKey(task({ status: "cancelled" }), "ArrowRight")).toBeUndefined();
  });

  it("becomes more or less urgent", () => {
    expect(byKey(task(), "ArrowUp")?.priority).toBe("high");
    expect(byKey(task(), "ArrowDown")?.priority).toBe("low");
    expect(byKey(task({ priority: "high" }), "ArrowUp")).toBeUndefined();
    expect(byKey(task(), "Enter")).toBeUndefined();
  });
});

it("a task that waits for others is begun only after a question", () => {
  const waits = task({ blocked_by: ["t9"], ready: false });

  expect(needsConfirmation({ task: waits, status: "in_progress" })).toBe(true);
  expect(needsConfirmation({ task: waits, status: "blocked" })).toBe(false);
  expect(needsConfirmation({ task: waits, priority: "high" })).toBe(false);
  expect(bodyOfMove({ task: waits, status: "in_progress" }, true)).toEqual({
    status: "in_progress",
    force: true,
    expected_version: 4,
  });
});
