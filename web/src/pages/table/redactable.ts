import type { Schemas } from "@/api/client";

/** What an owner can take back in a session: the body of the request. */
export type Redactable = Pick<Schemas["Redact"], "kind" | "id" | "version" | "number">;

/** What stands in the place of a redacted text. */
export const TOMBSTONE = "[redacted by the owner]";

const NAMES: Partial<Record<Redactable["kind"], (thing: Redactable) => string>> = {
  answer: ({ id }) => `the answer to ${id}`,
  task_note: ({ id, number }) => `note ${number} of task ${id}`,
  title: ({ id }) => `the title of section ${id}`,
  session: () => "the purpose of this session",
  reservation: ({ id }) => `the reason of the reservation of ${id}`,
};

export function nameOfRedacted(thing: Redactable): string {
  return NAMES[thing.kind]?.(thing) ?? `${thing.kind} ${thing.id}`;
}
