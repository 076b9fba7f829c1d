import type { Schemas } from "@/api/client";
import type { Priority, Task, TaskStatus } from "@/pages/table/checklist/board";

/** What a person has changed and not saved yet; the rest follows the task as it lives on. */
export interface Edits {
  status?: TaskStatus;
  assignee?: string;
  priority?: Priority;
  description?: string;
  dependsOn?: string[];
  note: string;
  /** Begin or complete it, whatever it waits for. */
  force: boolean;
}

export const NO_EDITS: Edits = { note: "", force: false };

/** Whether the change starts or ends a task before its dependencies: that needs a confirmation. */
export function isTooEarly(task: Task, next: TaskStatus): boolean {
  return task.blocked_by.length > 0 && next !== task.status && (next === "in_progress" || next === "completed");
}

/** Only what differs from the task is sent; nothing means that there is nothing to save, or not yet. */
export function bodyOf(task: Task, edits: Edits): Schemas["UpdateTask"] | undefined {
  const early = isTooEarly(task, edits.status ?? task.status);
  const decided = { ...statusOf(task, edits), ...assigneeOf(task, edits), ...termsOf(task, edits) };
  const note = edits.note.trim();
  const decides = Object.keys(decided).length > 0;
  if ((early && !edits.force) || (!decides && note === "")) return undefined;
  return {
    ...decided,
    ...(note !== "" && { note }),
    // A remark harms nobody; a decision is about the task as it was seen.
    ...(decides && { expected_version: task.version }),
    ...(early && { force: true }),
  };
}

function statusOf(task: Task, { status }: Edits): { status?: TaskStatus } {
  return status === undefined || status === task.status ? {} : { status };
}

function assigneeOf(task: Task, { assignee }: Edits): { assigned_to?: string; unassign?: boolean } {
  const name = assignee?.trim();
  if (name === undefined || name === (task.assigned_to ?? "")) return {};
  return name === "" ? { unassign: true } : { assigned_to: name };
}

type ChangedTerms = Pick<Schemas["UpdateTask"], "priority" | "description" | "depends_on">;

function termsOf(task: Task, { priority, description, dependsOn }: Edits): ChangedTerms {
  const words = description?.trim();
  return {
    ...(priority !== undefined && priority !== task.priority && { priority }),
    ...(words && words !== task.description && { description: words }),
    ...(dependsOn !== undefined && !isSame(dependsOn, task.depends_on) && { depends_on: dependsOn }),
  };
}

function isSame(ids: string[], others: string[]): boolean {
  return ids.length === others.length && ids.every((id) => others.includes(id));
}

/** Tasks to choose from: what is chosen stays in sight, then open ones, the newest first. */
export function matching(tasks: Task[], chosen: string[], words: string): Task[] {
  const query = words.trim().toLowerCase();
  const fits = (task: Task) => `${task.id} ${task.description}`.toLowerCase().includes(query);
  const isOver = (task: Task) => task.status === "completed" || task.status === "cancelled";
  const newest = [...tasks].reverse();
  const rest = newest.filter((task) => !chosen.includes(task.id) && fits(task));
  return [
    ...newest.filter((task) => chosen.includes(task.id)),
    ...rest.filter((task) => !isOver(task)),
    ...rest.filter(isOver),
  ];
}
