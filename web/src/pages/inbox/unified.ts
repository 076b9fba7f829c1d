/** One line of a comparison as the server writes it. */
export interface Change {
  kind: "added" | "removed" | "same" | "gap";
  text: string;
}

const KINDS: Record<string, Change["kind"]> = { "+": "added", "-": "removed", " ": "same" };

/** Only the first two lines name the two sides: a later one that begins alike is content. */
export function changes(diff: string): Change[] {
  const lines = diff === "" ? [] : diff.split("\n");
  const body = lines[0]?.startsWith("--- ") && lines[1]?.startsWith("+++ ") ? lines.slice(2) : lines;
  // That something stands before the first change goes without saying.
  const shown = body[0]?.startsWith("@@") ? body.slice(1) : body;
  return shown.map((line) => {
    if (line.startsWith("@@")) return { kind: "gap", text: line };
    const kind = KINDS[line.charAt(0)];
    return kind ? { kind, text: line.slice(1) } : { kind: "same", text: line };
  });
}
