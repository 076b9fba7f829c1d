import type { Task } from "@/pages/table/checklist/board";

export function task(number: number, dependsOn: number[] = [], status: Task["status"] = "pending"): Task {
  return {
    id: `t${number}`,
    description: `Task ${number}`,
    status,
    assigned_to: null,
    depends_on: dependsOn.map((other) => `t${other}`),
    ready: dependsOn.length === 0,
    blocked_by: [],
    priority: "medium",
    version: 1,
    notes: [],
  };
}

/** Each task waits for up to three of the thirty before it; the same plan every time. */
export function largePlan(count: number): Task[] {
  let seed = 7;
  const below = (limit: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((seed / 2_147_483_648) * limit);
  };
  return Array.from({ length: count }, (_, index) => {
    const earlier = Array.from({ length: Math.min(index, below(4)) }, () => index - below(Math.min(index, 30)));
    return task(index + 1, [...new Set(earlier)]);
  });
}
