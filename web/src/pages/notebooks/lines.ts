import type { Root, RootContent } from "hast";

/** A piece of a line, with the classes of the colours around it, the outermost first. */
interface ColouredToken {
  text: string;
  levels: string[];
}

export type CodeLine = ColouredToken[];
export type Severity = "error" | "warning";

/** A stretch of one line, in positions of the string: `from` is in it, `to` is not. */
interface Stretch {
  from: number;
  to: number;
  tone: Severity;
}

export type CodePiece = ColouredToken & { tone?: Severity };

/** What a check says about a place. Lines and columns count from 1, columns in characters. */
interface Spot {
  line: number;
  column: number;
  end_line?: number;
  end_column?: number;
}

/** Checkers count these as one break each; so must the numbers beside the lines. */
export function withPlainBreaks(text: string): string {
  return text.replace(/\r\n?/g, "\n");
}

export function plainLines(text: string): CodeLine[] {
  return withoutLastEmpty(text.split("\n").map((line) => (line ? [{ text: line, levels: [] }] : [])));
}

/** The tree of the highlighter cut at line breaks: a colour that spans lines goes on in each of them. */
export function colouredLines(root: Root): CodeLine[] {
  const lines: CodeLine[] = [[]];
  const walk = (nodes: RootContent[], levels: string[]) => {
    for (const node of nodes) {
      if (node.type === "text") addText(lines, node.value, levels);
      else if (node.type === "element") walk(node.children, [...levels, classOf(node.properties.className)]);
    }
  };
  walk(root.children, []);
  return withoutLastEmpty(lines);
}

function classOf(names: unknown): string {
  return Array.isArray(names) ? names.join(" ") : "";
}

function addText(lines: CodeLine[], text: string, levels: string[]): void {
  text.split("\n").forEach((part, index) => {
    if (index > 0) lines.push([]);
    if (part) lines.at(-1)?.push({ text: part, levels });
  });
}

/** A break at the very end ends the last line; it does not begin another. */
function withoutLastEmpty(lines: CodeLine[]): CodeLine[] {
  return lines.length > 1 && lines.at(-1)?.length === 0 ? lines.slice(0, -1) : lines;
}

export function textOf(line: CodeLine): string {
  return line.map((token) => token.text).join("");
}

/** Columns count characters, strings count halves of some of them. */
export function positionOf(text: string, column: number): number {
  let position = 0;
  for (let passed = 1; passed < column && position < text.length; passed += 1) {
    position += (text.codePointAt(position) ?? 0) > 0xffff ? 2 : 1;
  }
  return position;
}

/** The part of the line that a finding is about: up to its end, or the word that begins there. */
export function stretchOf(text: string, spot: Spot, tone: Severity): Stretch {
  const from = positionOf(text, spot.column);
  if (spot.end_line !== undefined && spot.end_line > spot.line)
    return { from, to: Math.max(text.length, from + 1), tone };
  const end = spot.end_column === undefined ? from : positionOf(text, spot.end_column);
  if (end > from) return { from, to: end, tone };
  const word = /^[\p{L}\p{N}_]+/u.exec(text.slice(from))?.[0].length ?? 0;
  return { from, to: from + Math.max(1, word), tone };
}

/** Cuts the tokens of a line at the ends of the stretches. A stretch past the end of the line gets a blank to stand on. */
export function pieces(line: CodeLine, stretches: Stretch[]): CodePiece[] {
  if (stretches.length === 0) return line;
  const length = textOf(line).length;
  const past = stretches.find((stretch) => stretch.from >= length);
  const cuts = [...new Set(stretches.flatMap(({ from, to }) => [from, to]))].sort((a, b) => a - b);
  const cut: CodePiece[] = [];
  let at = 0;
  for (const token of line) {
    for (const [text, start] of parts(token.text, at, cuts)) {
      const tone = toneAt(stretches, start);
      cut.push({ text, levels: token.levels, ...(tone && { tone }) });
    }
    at += token.text.length;
  }
  return past ? [...cut, { text: " ", levels: [], tone: past.tone }] : cut;
}

function parts(text: string, at: number, cuts: number[]): [string, number][] {
  const inside = cuts.filter((cut) => cut > at && cut < at + text.length).map((cut) => cut - at);
  const starts = [0, ...inside];
  return starts.map((start, index) => [text.slice(start, starts[index + 1]), at + start]);
}

function toneAt(stretches: Stretch[], position: number): Severity | undefined {
  const here = stretches.filter(({ from, to }) => position >= from && position < to);
  return here.find(({ tone }) => tone === "error")?.tone ?? here[0]?.tone;
}

/** A line of a million characters is cut: what is left says how many are not shown. */
export function shortened(line: CodeLine, most: number): { line: CodeLine; hidden: number } {
  let room = most;
  const kept: CodeLine = [];
  for (const token of line) {
    if (room <= 0) break;
    kept.push(token.text.length <= room ? token : { ...token, text: token.text.slice(0, room) });
    room -= token.text.length;
  }
  return { line: kept, hidden: Math.max(0, textOf(line).length - most) };
}
