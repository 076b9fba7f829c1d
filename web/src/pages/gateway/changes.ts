export interface DefinitionLine {
  kind: "added" | "removed" | "same" | "gap";
  text: string;
}

const KINDS: Record<string, DefinitionLine["kind"]> = { "+": "added", "-": "removed", "@": "gap" };

/** The lines of a unified diff, without its two lines of names. */
export function changedLines(diff: string): DefinitionLine[] {
  const lines = diff.split("\n").slice(2);
  const shown = lines.map((line): DefinitionLine => {
    const kind = KINDS[line.charAt(0)] ?? "same";
    return { kind, text: kind === "gap" ? "" : line.slice(1) };
  });
  return shown[0]?.kind === "gap" ? shown.slice(1) : shown;
}
