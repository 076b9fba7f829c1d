import type { Schemas } from "@/api/client";
import { cut } from "@/pages/table/plainText";
import type { Tone } from "@/parts/Badge";

export type Task = Schemas["TaskView"];
export type TaskStatus = Task["status"];
export type Priority = Task["priority"];

export const STATUSES: TaskStatus[] = ["pending", "in_progress", "blocked", "completed", "failed", "cancelled"];
export const PRIORITIES: Priority[] = ["high", "medium", "low"];

export const WORDS: Record<TaskStatus, string> = {
  pending: "Pending",
  in_progress: "In progress",
  blocked: "Blocked",
  completed: "Completed",
  failed: "Failed",
  cancelled: "Cancelled",
};

export const TONES: Record<TaskStatus, Tone> = {
  pending: "plain",
  in_progress: "calm",
  blocked: "warn",
  completed: "good",
  failed: "bad",
  cancelled: "plain",
};

export interface TaskColumn {
  id: string;
  title: string;
  /** How the column fills, shown while it is empty. */
  empty: string;
  tasks: Task[];
}

const COLUMNS: (Omit<TaskColumn, "tasks"> & { holds: TaskStatus[] })[] = [
  { id: "pending", title: "Pending", empty: "Nothing waits to be begun.", holds: ["pending"] },
  { id: "in_progress", title: "In progress", empty: "Nobody is at work.", holds: ["in_progress"] },
  { id: "blocked", title: "Blocked", empty: "Nothing is stuck.", holds: ["blocked"] },
  { id: "completed", title: "Completed", empty: "Nothing is done yet.", holds: ["completed"] },
  { id: "ended", title: "Given up", empty: "Nothing was given up.", holds: ["failed", "cancelled"] },
];

/** Open work in the order in which agents get it; what has ended with the newest first. */
export function board(tasks: Task[]): TaskColumn[] {
  return COLUMNS.map(({ holds, ...column }) => {
    const held = tasks.filter((task) => holds.includes(task.status));
    const ended = column.id === "completed" || column.id === "ended";
    return { ...column, tasks: held.sort(ended ? newestFirst : mostUrgentFirst) };
  });
}

function mostUrgentFirst(a: Task, b: Task): number {
  return (
    Number(b.ready) - Number(a.ready) ||
    PRIORITIES.indexOf(a.priority) - PRIORITIES.indexOf(b.priority) ||
    numberOf(a.id) - numberOf(b.id)
  );
}

function newestFirst(a: Task, b: Task): number {
  return numberOf(b.id) - numberOf(a.id);
}

export function numberOf(id: string): number {
  return Number(id.slice(1));
}

export function waitsFor(task: Task): string | undefined {
  const count = task.blocked_by.length;
  if (count === 0) return undefined;
  return count === 1 ? "Waits for 1 task" : `Waits for ${count} tasks`;
}

export function notesOf(task: Task): string | undefined {
  const count = task.notes.length;
  if (count === 0) return undefined;
  return count === 1 ? "1 note" : `${count} notes`;
}

/** How long the lease still lasts. */
export function leaseLeft(expiresAt: string, now: number): string {
  const left = Date.parse(expiresAt) - now;
  if (left <= 0) return "Lease has run out";
  const minutes = Math.round(left / 60_000);
  if (minutes < 1) return "Lease: under 1 min left";
  if (minutes < 90) return `Lease: ${minutes} min left`;
  return `Lease: ${Math.round(minutes / 60)} h left`;
}

/** When the first claim runs out: then the task is pending again, and no event says so. */
export function nextExpiry(tasks: Task[], now: number): number | undefined {
  const moments = tasks
    .map((task) => (task.lease_expires_at ? Date.parse(task.lease_expires_at) : Number.NaN))
    .filter((moment) => moment > now);
  return moments.length === 0 ? undefined : Math.min(...moments);
}

/** The first line of a description: enough to know a task by. */
export function nameOf(task: Task): string {
  return cut(task.description.trim().split("\n", 1)[0] ?? "", 90);
}
