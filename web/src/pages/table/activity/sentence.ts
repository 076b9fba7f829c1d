import type { EventKind } from "@/api/eventKinds";
import { forKind, type LiveEvent } from "@/live/event";
import { cut, plainText } from "@/pages/table/plainText";

/** What the ids in events stand for, as far as it is known. */
export interface Names {
  sections: ReadonlyMap<string, string>;
  tasks: ReadonlyMap<string, string>;
  questions: ReadonlyMap<string, string>;
}

const NO_NAMES: Names = { sections: new Map(), tasks: new Map(), questions: new Map() };

/** What an event says: who did it (nobody, where it happened by itself), what, and a preview of the text. */
interface EventText {
  actor: string | null;
  action: string;
  preview?: string;
}

type Describe = (event: LiveEvent, names: Names) => string | EventText;

const LONGEST_NAME = 90;

export function sentence(event: LiveEvent, names: Names = NO_NAMES): string {
  const { actor, action } = describeEvent(event, names);
  return actor === null ? action : `${actor} ${action}`;
}

export function describeEvent(event: LiveEvent, names: Names = NO_NAMES): EventText {
  const describe = forKind(DESCRIPTIONS, event.kind);
  const said = describe ? describe(event, names) : `did something new to this page: ${event.kind}`;
  return typeof said === "string" ? { actor: event.actor, action: said } : said;
}

const DESCRIPTIONS: Record<EventKind, Describe> = {
  "session/created": () => "opened the session",
  "session/closed": () => "closed the session",
  "session/expired": () => withoutActor("The time of the session is over"),
  "session/imported": () => "imported the session from a file",
  "session/forked": (event) => `forked the session from ${textOf(event.forked_from)}`,
  "session/extended": (event) => `gave the session time until ${moment(event.expires_at)}`,
  "scratchpad/note_added": (event) => withPreview(event, `pinned note ${textOf(event.note_id)}`, event.content_preview),
  "scratchpad/section_created": (event, names) => `began the section ${section(event, names)}`,
  "scratchpad/section_updated": (event, names) =>
    withPreview(event, `wrote version ${textOf(event.version)} of ${section(event, names)}`, event.content_preview),
  "scratchpad/section_read": (event, names) => `read ${section(event, names)}`,
  "scratchpad/tasks_added": tasksAdded,
  "scratchpad/checklist_updated": (event, names) => taskMoved(event, names),
  "scratchpad/task_claimed": (event, names) =>
    `${event.renewed === true ? "keeps" : "claimed"} ${task(event, names)} until ${moment(event.lease_expires_at)}`,
  "scratchpad/task_assigned": (event, names) =>
    `gave ${task(event, names)} to ${textOf(event.assigned_to) || "nobody in particular"}`,
  "scratchpad/task_changed": (event, names) => `changed the terms of ${task(event, names)}`,
  "scratchpad/task_noted": (event, names) =>
    withPreview(event, `remarked on ${task(event, names)}`, event.note_preview),
  "scratchpad/question_added": (event) =>
    withPreview(event, event.blocking === true ? "asked, and waits for the answer" : "asked", event.question_preview),
  "scratchpad/question_answered": (event, names) =>
    withPreview(
      event,
      `${event.by_human === true ? "answered" : "passed on an answer to"} ${question(event, names)}`,
      event.answer_preview,
    ),
  "scratchpad/question_expired": (event, names) => withoutActor(`Nobody answered ${question(event, names)} in time`),
  "scratchpad/question_withdrawn": (event, names) => `took back ${question(event, names)}`,
  "scratchpad/checkpoint_created": (event) => `paused the work for people: ${reasons(event.reasons)}`,
  "scratchpad/checkpoint_resumed": () => withoutActor("The work can go on: what it paused for is settled"),
  "scratchpad/redacted": (event, names) => `redacted ${redactedThing(event, names)}`,
  "reservation/reserved": (event) => `reserved ${files(event)}`,
  "reservation/released": (event) =>
    event.forced === true
      ? `released ${files(event)} of ${textOf(event.held_by)} by force`
      : `released ${files(event)}`,
  "notebook/created": (event) =>
    `${CREATED[textOf(event.reason)] ?? "created"} the scratchpad ${textOf(event.scratch_id)}`,
  "notebook/changed": (event) =>
    `${CHANGED[textOf(event.reason)] ?? "changed something in"} the scratchpad ${textOf(event.scratch_id)}`,
  "notebook/deleted": (event) => `moved the scratchpad ${textOf(event.scratch_id)} to the trash`,
  "notebook/evicted": (event) =>
    withoutActor(`The scratchpad ${textOf(event.scratch_id)} made room for others and lies in the trash`),
  "gateway/approval_requested": (event) => `wants to call ${textOf(event.tool)} and waits for a person`,
  "gateway/approved": (event) => `allowed the call of ${textOf(event.tool)}`,
  "gateway/denied": (event) => `refused the call of ${textOf(event.tool)}`,
  "gateway/executed": (event) =>
    event.outcome === "SUCCESS"
      ? `called ${textOf(event.tool)}`
      : `called ${textOf(event.tool)}, which failed (${textOf(event.outcome)})`,
  "gateway/tool_quarantined": (event) =>
    withoutActor(
      `The tool ${textOf(event.tool)} of ${textOf(event.upstream)} ${event.reason === "new" ? "is new" : "has changed"} and waits for a person`,
    ),
  "gateway/authorization_changed": (event) =>
    withoutActor(
      event.state === "connected"
        ? `The upstream ${textOf(event.upstream)} is connected`
        : `The upstream ${textOf(event.upstream)} needs authorization`,
    ),
  "gateway/tools_changed": (event) => withoutActor(`The tools of ${textOf(event.upstream)} may be others now`),
  "decision/waiting": (event) => withoutActor(`Calls that wait for a person: ${textOf(event.count)}`),
  "message/added": said,
  "message/acknowledged": (event) => `knows that it is to ${textOf(event.control)}`,
};

const CREATED: Record<string, string> = { reset: "reset", restored: "restored" };
const CHANGED: Record<string, string> = {
  append: "added a cell to",
  replace: "rewrote a cell of",
  move: "moved a cell of",
  delete: "deleted a cell of",
  update: "described anew",
  schema: "changed a schema of",
  namespace: "moved to another namespace",
  redact: "redacted a part of",
};
const SAID: Record<string, string> = {
  public: "said",
  private: "noted in private",
  agent_only: "said to agents of the same type",
};
const REASONS: Record<string, string> = {
  blocking_question: "a question blocks it",
  phase_boundary: "a phase is over",
  agent_requested: "an agent asked for it",
  threshold: "many questions are open",
};

function said(event: LiveEvent): EventText {
  const to = textOf(event.to);
  if (to && event.control) return { actor: event.actor, action: `asked ${to} to ${textOf(event.control)}` };
  const action = to ? `said to ${to}` : (SAID[textOf(event.visibility)] ?? "said");
  return withPreview(event, action, event.content_preview);
}

function tasksAdded(event: LiveEvent): EventText {
  const previews = list(event.previews);
  if (previews.length === 1) return { actor: event.actor, action: `added the task ${quoted(previews[0] ?? "")}` };
  const count = Math.max(list(event.task_ids).length, previews.length);
  return withPreview(event, `added ${count} tasks`, previews.join(" · "));
}

function taskMoved(event: LiveEvent, names: Names): string {
  const named = task(event, names);
  const words: Record<string, string> = {
    in_progress: event.old_status === "pending" ? `began ${named}` : `took up ${named} again`,
    completed: `finished ${named}`,
    blocked: `is blocked at ${named}`,
    failed: `failed at ${named}`,
    cancelled: `cancelled ${named}`,
    pending: `put ${named} back`,
  };
  return words[textOf(event.new_status)] ?? `changed ${named}`;
}

function task(event: LiveEvent, names: Names): string {
  const id = textOf(event.item_id);
  const name = names.tasks.get(id);
  return name ? quoted(name) : `task ${id}`;
}

function files(event: LiveEvent): string {
  // Not as Markdown: the stars in a pattern mean something else.
  return cut(list(event.paths).join(", "), LONGEST_NAME);
}

const REDACTED: Record<string, (id: string) => string> = {
  title: (id) => `the title of ${quoted(id)}`,
  answer: (id) => `the answer to ${id}`,
  task_note: (id) => `a note of task ${id}`,
  session: () => "the purpose of the session",
  reservation: (id) => `the reason of the reservation of ${id}`,
};

function redactedThing(event: LiveEvent, names: Names): string {
  const id = textOf(event.object_id);
  if (event.object_kind !== "section")
    return REDACTED[textOf(event.object_kind)]?.(id) ?? `${textOf(event.object_kind)} ${id}`;
  return `version ${textOf(event.version)} of ${quoted(names.sections.get(id) || id)}`;
}

function section(event: LiveEvent, names: Names): string {
  const id = textOf(event.section_name);
  return quoted(names.sections.get(id) || id);
}

function question(event: LiveEvent, names: Names): string {
  const id = textOf(event.question_id);
  const question = names.questions.get(id);
  return question ? quoted(question) : `question ${id}`;
}

/** Why the work has paused. */
export function reasons(value: unknown): string {
  return list(value)
    .map((reason) => REASONS[reason] ?? reason)
    .join(", ");
}

function withPreview(event: LiveEvent, action: string, preview: unknown): EventText {
  return typeof preview === "string" && preview
    ? { actor: event.actor, action, preview }
    : { actor: event.actor, action };
}

function withoutActor(action: string): EventText {
  return { actor: null, action };
}

function moment(value: unknown): string {
  const at = Date.parse(textOf(value));
  return Number.isNaN(at)
    ? "later"
    : new Date(at).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
}

function textOf(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

function list(value: unknown): string[] {
  return Array.isArray(value) ? value.map(textOf) : [];
}

/** A title in one short line, set off from the sentence around it. */
function quoted(title: string): string {
  return `“${cut(plainText(title).replace(/\s+/g, " ").trim(), LONGEST_NAME)}”`;
}
