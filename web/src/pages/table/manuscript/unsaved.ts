import { draftOf, forgetDraft, keepDraft } from "@/parts/drafts";

/** What somebody wrote and did not save. */
export interface Unsaved {
  /** The version that they began with. */
  base: number;
  title: string;
  content: string;
}

function thingOf(session: string, sectionId: string): string {
  return `section/${session}/${sectionId}`;
}

export function keepUnsaved(session: string, sectionId: string, text: Unsaved): void {
  keepDraft(thingOf(session, sectionId), text);
}

export function forgetUnsaved(session: string, sectionId: string): void {
  forgetDraft(thingOf(session, sectionId));
}

export function unsavedOf(session: string, sectionId: string): Unsaved | undefined {
  const kept = draftOf(thingOf(session, sectionId));
  return isUnsaved(kept) ? kept : undefined;
}

function isUnsaved(value: unknown): value is Unsaved {
  const text = value as Unsaved | null | undefined;
  return (
    typeof text === "object" &&
    text !== null &&
    typeof text.base === "number" &&
    typeof text.title === "string" &&
    typeof text.content === "string"
  );
}
