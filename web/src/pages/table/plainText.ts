/** Each with a bound, so that no text takes long. */
const INLINE = new RegExp(
  [
    "`([^`\\n]{1,300})`",
    "!?\\[([^\\][\\n]{0,300})\\]\\([^()\\s]{0,500}\\)",
    "(?<!\\w)(\\*\\*|__|~~)(?=\\S)([^\\n]{1,400}?)(?<=\\S)\\3(?!\\w)",
    "(?<![\\w*])([*_])(?=[^\\s*_])([^*_\\n]{1,400})(?<=\\S)\\5(?![\\w*])",
    "\\\\([*_`#>~[\\]()|\\\\-])",
  ].join("|"),
  "g",
);
const BEGINNING = /^\s{0,3}(?:>\s?)*(?:#{1,6}\s+)?/;
const NO_WORDS = /^\s{0,3}(?:[`~]{3,}.*|\|?[\s:|-]*-{3}[\s:|-]*)$/;
/** A preview may end before its marks do. */
const LEFT_OPEN = /(?<![\w*])(?:\*\*|~~)(?=[^\s*~])/g;

/** A text without the marks of Markdown, for where it is shown in a line. */
export function plainText(text: string): string {
  return text
    .split("\n")
    .filter((line) => !NO_WORDS.test(line))
    .map((line) => inline(cells(line.replace(BEGINNING, ""))).replace(LEFT_OPEN, ""))
    .join("\n");
}

function inline(text: string): string {
  return text.replace(INLINE, (...found: (string | undefined)[]) => {
    const [, code, link, , strong, , emphasis, escaped] = found;
    return code ?? escaped ?? inline(link ?? strong ?? emphasis ?? "");
  });
}

/** A row of a table as a list of words. */
function cells(line: string): string {
  const row = /^\s*\|(.*)\|\s*$/.exec(line)?.[1];
  return row === undefined
    ? line
    : row
        .split("|")
        .map((cell) => cell.trim())
        .join(", ");
}

/** The beginning of a line that is longer, never with half a character at its end. */
export function cut(line: string, longest: number): string {
  if (line.length <= longest) return line;
  const whole = line.slice(0, longest - 1).replace(/[\uD800-\uDBFF]$/, "");
  return `${whole.trimEnd()}…`;
}
