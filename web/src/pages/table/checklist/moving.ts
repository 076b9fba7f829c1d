import type { Schemas } from "@/api/client";
import { PRIORITIES, type Priority, type Task, type TaskStatus } from "@/pages/table/checklist/board";
import { isTooEarly } from "@/pages/table/checklist/change";

/** The columns of the board, and the status of a task that is put there. */
export const DESTINATIONS: { id: string; status: TaskStatus; title: string }[] = [
  { id: "pending", status: "pending", title: "Pending" },
  { id: "in_progress", status: "in_progress", title: "In progress" },
  { id: "blocked", status: "blocked", title: "Blocked" },
  { id: "completed", status: "completed", title: "Completed" },
  { id: "ended", status: "cancelled", title: "Given up" },
];

/** A change by one gesture: to another column, or to another priority. */
export interface Move {
  task: Task;
  status?: TaskStatus;
  priority?: Priority;
}

export function columnOf(status: TaskStatus): string {
  return status === "failed" ? "ended" : (DESTINATIONS.find((each) => each.status === status)?.id ?? "pending");
}

/** What dropping a task means: in another column its status; on a task of its own column the priority of that one. */
export function dropped(task: Task, column: string, onto: Task | undefined): Move | undefined {
  const destination = DESTINATIONS.find((each) => each.id === column);
  if (destination && column !== columnOf(task.status)) return { task, status: destination.status };
  if (onto && onto.priority !== task.priority) return { task, priority: onto.priority };
  return undefined;
}

const STEPS: Record<string, (task: Task) => Move | undefined> = {
  ArrowLeft: (task) => toColumn(task, -1),
  ArrowRight: (task) => toColumn(task, 1),
  ArrowUp: (task) => toPriority(task, -1),
  ArrowDown: (task) => toPriority(task, 1),
};

/** What an arrow key with Shift does to the task that has the focus. */
export function byKey(task: Task, key: string): Move | undefined {
  return STEPS[key]?.(task);
}

function toColumn(task: Task, step: number): Move | undefined {
  const here = DESTINATIONS.findIndex((each) => each.id === columnOf(task.status));
  const there = DESTINATIONS[here + step];
  return there && { task, status: there.status };
}

function toPriority(task: Task, step: number): Move | undefined {
  const priority = PRIORITIES[PRIORITIES.indexOf(task.priority) + step];
  return priority && { task, priority };
}

export function bodyOfMove({ task, status, priority }: Move, force: boolean): Schemas["UpdateTask"] {
  return {
    ...(status && { status }),
    ...(priority && { priority }),
    ...(force && { force: true }),
    expected_version: task.version,
  };
}

/** Whether a person is to be asked first. */
export function needsConfirmation({ task, status }: Move): boolean {
  return status !== undefined && isTooEarly(task, status);
}

export function moveInWords({ task, status, priority }: Move): string {
  if (priority) return `Task ${task.id} has ${priority} priority now.`;
  const column = DESTINATIONS.find((each) => each.status === status)?.title.toLowerCase();
  return `Task ${task.id} is ${column ?? "changed"} now.`;
}
