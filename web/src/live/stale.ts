import type { QueryKey } from "@tanstack/react-query";
import type { EventKind } from "@/api/eventKinds";
import { keys, type SessionPart } from "@/api/queries";
import { forKind, type LiveEvent } from "@/live/event";

interface Stale {
  /** Parts of the session in which the event happened. */
  session?: SessionPart[] | "all";
  /** Lists of the whole tenant. */
  tenant?: QueryKey[];
}

const SESSION: Stale = { session: "all", tenant: [keys.questions] };
const DRAFT: Stale = { session: ["draft"] };
const PLAN: Stale = { session: ["plan"] };
const RESERVATIONS: Stale = { session: ["reservations"] };
const QUESTION: Stale = { session: ["questions"], tenant: [keys.questions] };
const CHECKPOINT: Stale = { session: ["pauses"] };
const NOTEBOOK: Stale = { tenant: [keys.notebooks, keys.trash] };
const DECISION: Stale = { tenant: [keys.decisions] };

const STALE: Record<EventKind, Stale> = {
  "session/created": SESSION,
  "session/closed": SESSION,
  "session/expired": SESSION,
  "session/imported": SESSION,
  "session/forked": SESSION,
  "session/extended": SESSION,
  "scratchpad/note_added": { session: ["notes"] },
  "scratchpad/section_created": DRAFT,
  "scratchpad/section_updated": DRAFT,
  "scratchpad/section_read": {},
  "scratchpad/tasks_added": PLAN,
  "scratchpad/checklist_updated": PLAN,
  "scratchpad/task_claimed": PLAN,
  "scratchpad/task_assigned": PLAN,
  "scratchpad/task_changed": PLAN,
  "scratchpad/task_noted": PLAN,
  "scratchpad/question_added": QUESTION,
  "scratchpad/question_answered": QUESTION,
  "scratchpad/question_expired": QUESTION,
  "scratchpad/question_withdrawn": QUESTION,
  "scratchpad/checkpoint_created": CHECKPOINT,
  "scratchpad/checkpoint_resumed": CHECKPOINT,
  "scratchpad/redacted": {
    session: ["notes", "draft", "messages", "questions", "plan", "reservations"],
    tenant: [keys.questions],
  },
  "reservation/reserved": RESERVATIONS,
  "reservation/released": RESERVATIONS,
  "notebook/created": NOTEBOOK,
  "notebook/changed": NOTEBOOK,
  "notebook/deleted": NOTEBOOK,
  "notebook/evicted": NOTEBOOK,
  "gateway/approval_requested": DECISION,
  "gateway/approved": DECISION,
  "gateway/denied": DECISION,
  "gateway/executed": { tenant: [keys.calls, keys.intents] },
  "gateway/tool_quarantined": { tenant: [keys.pins, keys.upstreams] },
  "gateway/authorization_changed": { tenant: [keys.upstreams] },
  "gateway/tools_changed": { tenant: [keys.upstreams, keys.pins, keys.rules] },
  "decision/waiting": DECISION,
  "message/added": { session: ["messages"] },
  "message/acknowledged": { session: ["messages"] },
};

/** The keys of the queries whose cached results this event makes out of date. */
export function staleAfter(event: LiveEvent): QueryKey[] {
  const { session = [], tenant = [] } = forKind(STALE, event.kind) ?? {};
  if (event.session_id === null) return tenant;
  return [...staleInSession(event.session_id, session), keys.overview, keys.now, ...tenant];
}

function staleInSession(id: string, parts: SessionPart[] | "all"): QueryKey[] {
  if (parts === "all") return [keys.session(id)];
  return (["overview", "activity", ...parts] as const).map((part) => keys.of(id, part));
}
