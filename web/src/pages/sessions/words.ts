import type { Session } from "@/pages/sessions/data";

/** Every word must be found: in the purpose, the id, or the name of somebody at the table. */
export function matches(session: Session, query: string): boolean {
  const all = [session.purpose, session.session_id, session.created_by, ...session.agents.map(({ agent }) => agent)];
  const text = all.join("\n").toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

export function titleOf(session: Session): string {
  return session.purpose || session.session_id;
}

/** Some names, and how many more there are. */
export function firstNames(session: Session, most = 3): { names: string[]; more: number } {
  const names = session.agents.slice(0, most).map(({ agent }) => agent);
  return { names, more: Math.max(session.agent_count, session.agents.length) - names.length };
}

/** What was cancelled does not count: nobody will do it. */
export function planOf(session: Session): { done: number; of: number } {
  return { done: session.tasks.completed, of: session.tasks.total - session.tasks.cancelled };
}

export function questionsOf(session: Session): string {
  const { open_questions: open, blocking_questions: blocking } = session;
  if (open === 0) return "No open question";
  const questions = open === 1 ? "1 open question" : `${open} open questions`;
  if (blocking === 0) return questions;
  return `${questions}, ${blocking === open ? "blocking" : `${blocking} blocking`}`;
}

const HOUR = 3_600_000;

/** For how long from now a session can be given, in the words of the server and of people. */
export const LENGTHS = [
  { ttl: "1h", title: "1 hour", length: HOUR },
  { ttl: "24h", title: "24 hours", length: 24 * HOUR },
  { ttl: "7d", title: "7 days", length: 7 * 24 * HOUR },
];

/** A session never loses time: less than it has is nothing to choose. */
export function gains(session: Session, length: number, now: number): boolean {
  return now + length > Date.parse(session.expires_at);
}

export type SessionOrder = "active" | "newest" | "purpose" | "waiting";

export const ORDERS: Record<SessionOrder, string> = {
  active: "Last active",
  newest: "Newest",
  purpose: "By purpose",
  waiting: "Most waits for people",
};

export function isOrder(value: string): value is SessionOrder {
  return value in ORDERS;
}

const COMPARED: Record<SessionOrder, (one: Session, other: Session) => number> = {
  active: () => 0,
  newest: (one, other) => Date.parse(other.created_at) - Date.parse(one.created_at),
  purpose: (one, other) => titleOf(one).localeCompare(titleOf(other), "en", { numeric: true, sensitivity: "base" }),
  waiting: (one, other) =>
    other.blocking_questions - one.blocking_questions || other.open_questions - one.open_questions,
};

/** The server has them in the order in which they were last active. */
export function inOrder(sessions: Session[], order: SessionOrder): Session[] {
  return order === "active" ? sessions : [...sessions].sort(COMPARED[order]);
}
