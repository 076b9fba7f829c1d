import { client, unwrap } from "@/api/client";
import { isLiveEvent, type LiveEvent } from "@/live/event";

/** What happened since somebody looked, in numbers. */
interface News {
  parts: string[];
  /** More happened than was read: the numbers are the least. */
  cut: boolean;
}

const PAGE = 500;
const MOST_PAGES = 4;

/** The events of a session after `seq`, newest first, and whether there were too many to read them all. */
export async function eventsSince(id: string, seq: number, signal: AbortSignal) {
  const events: LiveEvent[] = [];
  let before: number | null = null;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const query: { limit: number; before?: number } = before === null ? { limit: PAGE } : { limit: PAGE, before };
    const answer = await unwrap(
      client.GET("/sessions/{session_id}/activity", { params: { path: { session_id: id }, query }, signal }),
    );
    const found = answer.events.filter(isLiveEvent);
    events.push(...found.filter((event) => event.seq > seq && event.session_id === id));
    before = answer.next_before;
    if (before === null || found.some((event) => event.seq <= seq)) return { events, cut: false };
  }
  return { events, cut: true };
}

const COUNTED: [(event: LiveEvent) => number, string, string][] = [
  [(event) => Number(event.kind === "scratchpad/note_added"), "note", "notes"],
  [
    (event) => Number(/^scratchpad\/section_(created|updated)$/.test(event.kind)),
    "section version",
    "section versions",
  ],
  [(event) => Number(event.new_status === "completed"), "task done", "tasks done"],
  [(event) => (Array.isArray(event.task_ids) ? event.task_ids.length : 0), "task added", "tasks added"],
  [(event) => Number(event.kind === "scratchpad/question_added"), "question", "questions"],
  [(event) => Number(event.kind === "scratchpad/question_answered"), "answer", "answers"],
  [(event) => Number(event.kind === "message/added"), "message", "messages"],
];

/** What a person did is no news to that person. */
export function newsOf(events: LiveEvent[], me: string, cut: boolean): News {
  const others = events.filter((event) => event.actor !== me);
  const parts = COUNTED.flatMap(([count, one, many]) => {
    const total = others.reduce((sum, event) => sum + count(event), 0);
    return total === 0 ? [] : [`${total.toLocaleString("en")} ${total === 1 ? one : many}`];
  });
  return { parts, cut };
}

/** The numbers from which notes and messages are new: both are counted up, one by one. */
export interface Fresh {
  note: number;
  message: number;
}

export const NOTHING_FRESH: Fresh = { note: Number.POSITIVE_INFINITY, message: Number.POSITIVE_INFINITY };

export function fresher(fresh: Fresh, events: LiveEvent[], me: string): Fresh {
  let { note, message } = fresh;
  for (const event of events) {
    if (event.actor === me) continue;
    if (event.kind === "scratchpad/note_added") note = Math.min(note, numberOf(String(event.note_id)));
    if (event.kind === "message/added" && typeof event.message_id === "number")
      message = Math.min(message, event.message_id);
  }
  return note === fresh.note && message === fresh.message ? fresh : { note, message };
}

/** Notes are called n1, n2, n3 and so on. */
export function numberOf(note: string): number {
  return Number(note.slice(1));
}
