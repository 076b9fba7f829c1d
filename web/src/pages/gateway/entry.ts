/** What a person types about a new upstream, as an entry of the gateway. */

export interface EntryDraft {
  kind: "url" | "command";
  name: string;
  url: string;
  command: string;
  /** Headers or variables, one `NAME=VALUE` a line. */
  values: string;
  scope: string;
}

export const EMPTY: EntryDraft = { kind: "url", name: "", url: "", command: "", values: "", scope: "" };

export function isComplete(draft: EntryDraft): boolean {
  return draft.name.trim() !== "" && (draft.kind === "url" ? draft.url : draft.command).trim() !== "";
}

export function entryOf(draft: EntryDraft): Record<string, unknown> {
  const values = pairsOf(draft.values);
  const scope = draft.scope ? { scope: draft.scope } : {};
  if (draft.kind === "url") return { url: draft.url.trim(), ...(values && { headers: values }), ...scope };
  const [command, ...args] = words(draft.command);
  return { command, args, ...(values && { env: values }), ...scope };
}

/** The words of a command line, as a shell would split them. */
export function words(line: string): string[] {
  const found: string[] = [];
  for (const match of line.matchAll(/(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|(\\.)|([^\s"'\\]))+/gs)) {
    found.push(unquoted(match[0]));
  }
  return found;
}

function unquoted(word: string): string {
  return word.replaceAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)/gs, (_, double, single, escaped) =>
    double === undefined ? (single ?? escaped) : double.replaceAll(/\\(["\\$`])/g, "$1"),
  );
}

export function pairsOf(text: string): Record<string, string> | undefined {
  const pairs = text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .map((line): [string, string] => {
      const cut = line.indexOf("=");
      return cut < 0 ? [line, ""] : [line.slice(0, cut).trim(), line.slice(cut + 1).trim()];
    });
  return pairs.length > 0 ? Object.fromEntries(pairs) : undefined;
}
