import { describe, expect, it } from "vitest";
import { board, leaseLeft, nameOf, nextExpiry, notesOf, type Task, waitsFor } from "@/pages/table/checklist/board";

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
    version: 1,
    notes: [],
    ...more,
  };
}

const NOON = Date.parse("2026-01-01T12:00:00Z");

describe("the board", () => {
  it("has a column for each status, and one for what failed or was cancelled", () => {
    const columns = board([
      task("t1", { status: "failed" }),
      task("t2", { status: "cancelled" }),
      task("t3", { status: "blocked" }),
    ]);

    expect(columns.map((column) => [column.title, column.tasks.map((one) => one.id)])).toEqual([
      ["Pending", []],
      ["In progress", []],
      ["Blocked", ["t3"]],
      ["Completed", []],
      ["Given up", ["t2", "t1"]],
    ]);
  });

  it("shows first what can be begun, then by priority, then by age", () => {
    const [pending] = board([
      task("t1", { priority: "high" }),
      task("t10", { ready: true }),
      task("t9", { ready: true }),
      task("t4", { ready: true, priority: "high" }),
    ]);

    expect(pending?.tasks.map((one) => one.id)).toEqual(["t4", "t9", "t10", "t1"]);
  });

  it("shows the newest of the completed tasks first", () => {
    const columns = board([task("t2", { status: "completed" }), task("t10", { status: "completed" })]);

    expect(columns[3]?.tasks.map((one) => one.id)).toEqual(["t10", "t2"]);
  });
});

describe("a task", () => {
  it("says how many it waits for, and how many notes it has", () => {
    const waiting = task("t1", {
      blocked_by: ["t2", "t3"],
      notes: [{ author: "a", text: "x", timestamp: "2026-01-01T00:00:00Z" }],
    });

    expect(waitsFor(waiting)).toBe("Waits for 2 tasks");
    expect(notesOf(waiting)).toBe("1 note");
    expect(waitsFor(task("t1"))).toBeUndefined();
    expect(notesOf(task("t1"))).toBeUndefined();
  });

  it("is known by the first line of its description", () => {
    expect(nameOf(task("t1", { description: "Buy wood\nNot pine" }))).toBe("Buy wood");
    expect(nameOf(task("t1", { description: "x".repeat(200) }))).toHaveLength(90);
  });
});

describe("a lease", () => {
  it.each([
    ["2026-01-01T11:59:00Z", "Lease has run out"],
    ["2026-01-01T12:00:20Z", "Lease: under 1 min left"],
    ["2026-01-01T12:14:40Z", "Lease: 15 min left"],
    ["2026-01-01T15:00:00Z", "Lease: 3 h left"],
  ])("until %s reads: %s", (expiresAt, words) => {
    expect(leaseLeft(expiresAt, NOON)).toBe(words);
  });

  it("that runs out next says when the plan has to be read again", () => {
    const tasks = [
      task("t1", { lease_expires_at: "2026-01-01T11:00:00Z" }),
      task("t2", { lease_expires_at: "2026-01-01T13:00:00Z" }),
      task("t3", { lease_expires_at: "2026-01-01T12:30:00Z" }),
    ];

    expect(nextExpiry(tasks, NOON)).toBe(Date.parse("2026-01-01T12:30:00Z"));
    expect(nextExpiry([task("t1")], NOON)).toBeUndefined();
  });
});
