import type { EventKind } from "@/api/eventKinds";
import { forKind, type LiveEvent } from "@/live/event";

/** How a person chooses what to see of the activity. Reading is left out of "changes": a draft is read all the time. */
export const GROUPS = {
  changes: "All changes",
  notes: "Notes",
  draft: "Manuscript",
  plan: "Checklist",
  questions: "Questions",
  messages: "Messages",
  gateway: "Calls of tools",
  session: "The session itself",
  reading: "Reading",
  outside: "Outside this session",
} as const;

export type Group = keyof typeof GROUPS;
type Family = Exclude<Group, "changes" | "outside">;

const FAMILIES: Record<EventKind, Family> = {
  "session/created": "session",
  "session/closed": "session",
  "session/expired": "session",
  "session/imported": "session",
  "session/forked": "session",
  "session/extended": "session",
  "scratchpad/note_added": "notes",
  "scratchpad/section_created": "draft",
  "scratchpad/section_updated": "draft",
  "scratchpad/section_read": "reading",
  "scratchpad/tasks_added": "plan",
  "scratchpad/checklist_updated": "plan",
  "scratchpad/task_claimed": "plan",
  "scratchpad/task_assigned": "plan",
  "scratchpad/task_changed": "plan",
  "scratchpad/task_noted": "plan",
  "scratchpad/question_added": "questions",
  "scratchpad/question_answered": "questions",
  "scratchpad/question_expired": "questions",
  "scratchpad/question_withdrawn": "questions",
  "scratchpad/checkpoint_created": "questions",
  "scratchpad/checkpoint_resumed": "questions",
  "scratchpad/redacted": "session",
  "reservation/reserved": "plan",
  "reservation/released": "plan",
  "notebook/created": "session",
  "notebook/changed": "session",
  "notebook/deleted": "session",
  "notebook/evicted": "session",
  "gateway/approval_requested": "gateway",
  "gateway/approved": "gateway",
  "gateway/denied": "gateway",
  "gateway/executed": "gateway",
  "gateway/tool_quarantined": "gateway",
  "gateway/authorization_changed": "gateway",
  "gateway/tools_changed": "gateway",
  "decision/waiting": "gateway",
  "message/added": "messages",
  "message/acknowledged": "messages",
};
const REDACTED: Record<string, Family> = {
  note: "notes",
  message: "messages",
  section: "draft",
  title: "draft",
  question: "questions",
  answer: "questions",
  task: "plan",
  task_note: "plan",
};

export function isGroup(value: string): value is Group {
  return value in GROUPS;
}

export function familyOf(event: LiveEvent): Family {
  const redacted = event.kind === "scratchpad/redacted" ? REDACTED[String(event.object_kind)] : undefined;
  return redacted ?? forKind(FAMILIES, event.kind) ?? "session";
}

/** Events without a session belong to all of them: notebooks, and tools of other servers. */
export function belongs(event: LiveEvent, group: Group, session: string): boolean {
  if (event.session_id !== session) return group === "outside" && event.session_id === null;
  const family = familyOf(event);
  return group === "changes" ? family !== "reading" : group === family;
}

const PLACES: Partial<Record<Family, { path: string; id?: string }>> = {
  notes: { path: "/notes", id: "note_id" },
  draft: { path: "/draft", id: "section_id" },
  reading: { path: "/draft", id: "section_id" },
  plan: { path: "/plan", id: "item_id" },
  questions: { path: "/questions", id: "question_id" },
  messages: { path: "/messages", id: "message_id" },
};

/** The address of a call of another server's tool, while it is kept what was in it; else of what people said to it. */
export function callOf(event: LiveEvent): string | null {
  if (typeof event.call_id === "string") return `/gateway/calls/${encodeURIComponent(event.call_id)}`;
  return typeof event.decision_id === "string" ? `/decisions/${encodeURIComponent(event.decision_id)}` : null;
}

/** Where a person finds what the event is about: the thing itself where it is known, else the part it is in. */
export function placeOf(event: LiveEvent): string | null {
  const place = PLACES[familyOf(event)];
  if (event.session_id === null || !place) return null;
  const id = event.kind === "scratchpad/redacted" ? event.object_id : place.id && event[place.id];
  return typeof id === "string" || typeof id === "number" ? `${place.path}/${encodeURIComponent(id)}` : place.path;
}
