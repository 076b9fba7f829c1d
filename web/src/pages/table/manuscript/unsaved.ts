/** What somebody wrote and did not save: kept over a change of page or a reload, in this tab only. */
export interface Unsaved {
  /** The version that they began with. */
  base: number;
  title: string;
  content: string;
}

function keyOf(session: string, sectionId: string): string {
  return `longtable-unsaved:${session}:${sectionId}`;
}

export function keepUnsaved(session: string, sectionId: string, text: Unsaved): void {
  try {
    sessionStorage.setItem(keyOf(session, sectionId), JSON.stringify(text));
  } catch {
    // The browser has no room for it: the text is still in the page.
  }
}

export function forgetUnsaved(session: string, sectionId: string): void {
  sessionStorage.removeItem(keyOf(session, sectionId));
}

export function unsavedOf(session: string, sectionId: string): Unsaved | undefined {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(keyOf(session, sectionId)) ?? "null");
    return isUnsaved(kept) ? kept : undefined;
  } catch {
    return undefined;
  }
}

function isUnsaved(value: unknown): value is Unsaved {
  const text = value as Unsaved | null;
  return (
    typeof text === "object" &&
    text !== null &&
    typeof text.base === "number" &&
    typeof text.title === "string" &&
    typeof text.content === "string"
  );
}
