import type { LiveEvent } from "@/live/event";

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

const FAMILIES: [RegExp, Family][] = [
  [/^scratchpad\/section_read$/, "reading"],
  [/^scratchpad\/note/, "notes"],
  [/^scratchpad\/section/, "draft"],
  [/^scratchpad\/(tasks|checklist)/, "plan"],
  [/^scratchpad\/(question|checkpoint)/, "questions"],
  [/^message\//, "messages"],
  [/^(gateway|decision)\//, "gateway"],
];
const REDACTED: Record<string, Family> = { note: "notes", message: "messages", section: "draft" };

export function isGroup(value: string): value is Group {
  return value in GROUPS;
}

export function familyOf(event: LiveEvent): Family {
  if (event.kind === "scratchpad/redacted") return REDACTED[String(event.object_kind)] ?? "session";
  return FAMILIES.find(([pattern]) => pattern.test(event.kind))?.[1] ?? "session";
}

/** Events without a session belong to all of them: notebooks, and tools of other servers. */
export function belongs(event: LiveEvent, group: Group, session: string): boolean {
  if (event.session_id !== session) return group === "outside" && event.session_id === null;
  const family = familyOf(event);
  return group === "changes" ? family !== "reading" : group === family;
}

/** Where a person finds what the event is about. */
export function placeOf(event: LiveEvent): string | null {
  const places: Partial<Record<Family, string>> = {
    notes: "",
    draft: "/draft",
    reading: "/draft",
    plan: "/plan",
    questions: "/questions",
    messages: "/messages",
  };
  return event.session_id === null ? null : (places[familyOf(event)] ?? null);
}
