import type { QueryKey } from "@tanstack/react-query";
import { keys, type SessionPart } from "@/api/queries";
import type { LiveEvent } from "@/live/event";

const PARTS: Record<string, SessionPart[]> = {
  "scratchpad/note_added": ["notes"],
  "scratchpad/section_created": ["draft"],
  "scratchpad/section_updated": ["draft"],
  "scratchpad/tasks_added": ["plan"],
  "scratchpad/checklist_updated": ["plan"],
  "scratchpad/question_added": ["questions"],
  "scratchpad/question_answered": ["questions"],
  "scratchpad/question_expired": ["questions"],
  "scratchpad/question_withdrawn": ["questions"],
  "scratchpad/checkpoint_created": ["pauses"],
  "scratchpad/checkpoint_resumed": ["pauses"],
  "scratchpad/redacted": ["notes", "draft", "messages", "questions", "plan"],
  "message/added": ["messages"],
};

/** What was read before this event and is not true any more. */
export function staleAfter(event: LiveEvent): QueryKey[] {
  const [family] = event.kind.split("/");
  const session = event.session_id ? ofSession(event.session_id, event.kind) : [];
  if (family === "notebook") return [...session, keys.notebooks, keys.trash];
  if (family === "gateway" || family === "decision") return [...session, ...ofGateway(event.kind)];
  if (event.kind.startsWith("scratchpad/question")) return [...session, keys.questions];
  return session;
}

function ofSession(id: string, kind: string): QueryKey[] {
  const always: QueryKey[] = [keys.overview, keys.of(id, "overview"), keys.of(id, "activity")];
  if (kind.startsWith("session/")) return [keys.session(id), keys.overview, keys.questions];
  return [...always, ...(PARTS[kind] ?? []).map((part) => keys.of(id, part))];
}

function ofGateway(kind: string): QueryKey[] {
  if (kind === "gateway/executed") return [keys.calls, keys.intents];
  if (kind === "gateway/tool_quarantined") return [keys.pins, keys.upstreams];
  if (kind === "gateway/tools_changed") return [keys.upstreams, keys.pins, keys.rules];
  return [keys.decisions];
}
