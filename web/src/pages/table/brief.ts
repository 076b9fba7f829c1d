import type { Schemas } from "@/api/client";
import type { LiveEvent } from "@/live/event";

type BriefRead = Schemas["BriefRead"];

interface BriefLine {
  id: string | number;
  text: string;
  /** By whom, or in which state. */
  aside: string;
}

export interface BriefPart {
  title: string;
  /** The part of the session that shows it whole. */
  place: string;
  lines: BriefLine[];
}

/** The brief of a session as lists of headlines; those that are empty are left out. */
export function partsOf(brief: BriefRead, isNews: boolean): BriefPart[] {
  const { waiting, plan, questions, agents, draft, notes, reservations } = brief;
  const parts = [
    part("Messages for you", "messages", waiting.messages, (one) => [one.id, one.content, one.sender]),
    part("Open questions", "questions", questions, (one) => [one.id, one.question, one.asked_by]),
    part(isNews ? "Tasks that changed" : "Tasks to begin", "plan", isNews ? plan?.changed : plan?.ready, (one) => [
      one.id,
      one.description,
      [one.status?.replace("_", " "), one.assigned_to].filter(Boolean).join(", "),
    ]),
    part(isNews ? "Sections that changed" : "Sections", "draft", draft, (one) => [
      one.section_id,
      one.title,
      `version ${one.version} by ${one.author}`,
    ]),
    part("Pinned notes", "", notes?.pinned, (one) => [one.id, one.headline, one.author]),
    part(isNews ? "New notes" : "Newest notes", "", notes?.newest, (one) => [one.id, one.headline, one.author]),
    part("Reserved files", "plan", reservations?.others, (one) => [one.path, one.path, one.agent ?? ""]),
    part("At work", "plan", agents, (one) => [one.agent, one.task ? one.agent : "", `on ${one.task}`]),
  ];
  return parts.filter(({ lines }) => lines.length > 0);
}

function part<T>(
  title: string,
  place: string,
  found: readonly T[] | undefined,
  line: (one: T) => [string | number, string, string],
): BriefPart {
  const lines = (found ?? []).map(line).map(([id, text, aside]) => ({ id, text, aside }));
  return { title, place, lines: lines.filter(({ text }) => text !== "") };
}

/** The moment before the first of these events, newest first, by the clock of the server. */
export function momentBefore(events: readonly LiveEvent[]): string | undefined {
  const first = events.at(-1);
  return first && new Date(Date.parse(first.timestamp) - 1).toISOString();
}
