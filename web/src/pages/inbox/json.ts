/** JSON laid out for reading, from its text: parsing it first would round large numbers and lose what was written. */
export interface JsonPiece {
  kind: "key" | "text" | "plain";
  text: string;
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+/g;
const ESCAPE = /\\u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})|\\u([0-9a-f]{4})|\\./gi;
/** Letters and signs, and what `Text` spells out. The rest looks like nothing or like a space, and stays an escape. */
const SHOWABLE = /^(?:[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|(?![\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]).)$/su;

export function laidOut(json: string): JsonPiece[] {
  const tokens = json.match(TOKEN) ?? [];
  const pieces: JsonPiece[] = [];
  let depth = 0;
  tokens.forEach((token, index) => {
    if (isClosing(token)) depth -= 1;
    const piece = pieceOf(token, { before: tokens[index - 1], after: tokens[index + 1], depth });
    if (isOpening(token)) depth += 1;
    const last = pieces.at(-1);
    if (piece.kind === "plain" && last?.kind === "plain") last.text += piece.text;
    else pieces.push(piece);
  });
  return pieces;
}

/** One that is longer is long. */
const SHORT = 100;

/** The same object with its short parts first: whom it goes to, which file, how much stand before a text of many lines. */
export function shortFirst(json: string): string {
  const tokens = json.match(TOKEN) ?? [];
  if (tokens[0] !== "{" || tokens.at(-1) !== "}") return json;
  const parts: string[] = [""];
  let depth = 0;
  for (const token of tokens.slice(1, -1)) {
    if (isOpening(token)) depth += 1;
    if (isClosing(token)) depth -= 1;
    if (token === "," && depth === 0) parts.push("");
    else parts[parts.length - 1] += token;
  }
  const isLong = (part: string) => part.length > SHORT || part.includes("\\n");
  return `{${[...parts.filter((part) => !isLong(part)), ...parts.filter(isLong)].join(",")}}`;
}

export interface PrintedLine {
  /** How many columns its own text stands in from the edge. */
  indent: number;
  pieces: JsonPiece[];
}

/** The same pieces line by line, so that a line that is too long can go on under its own beginning. */
export function inLines(pieces: JsonPiece[]): PrintedLine[] {
  const lines: JsonPiece[][] = [[]];
  for (const { kind, text } of pieces) {
    text.split("\n").forEach((part, index) => {
      if (index > 0) lines.push([]);
      if (part) lines.at(-1)?.push({ kind, text: part });
    });
  }
  return lines.map((line) => ({ indent: /^ */.exec(textOf(line))?.[0].length ?? 0, pieces: line }));
}

export function textOf(pieces: JsonPiece[]): string {
  return pieces.map(({ text }) => text).join("");
}

interface Around {
  before: string | undefined;
  after: string | undefined;
  depth: number;
}

function pieceOf(token: string, { before, after, depth }: Around): JsonPiece {
  if (token.startsWith('"')) {
    return { kind: after === ":" ? "key" : "text", text: readable(token, newLine(depth + 1)) };
  }
  return {
    kind: "plain",
    text: (startsLine(token, before) ? newLine(depth) : "") + token + behind(token, after, depth),
  };
}

function startsLine(token: string, before: string | undefined): boolean {
  return isClosing(token) && !isOpening(before);
}

function behind(token: string, after: string | undefined, depth: number): string {
  if (token === ":") return " ";
  if (token === ",") return newLine(depth);
  return isOpening(token) && !isClosing(after) ? newLine(depth + 1) : "";
}

/** A string of JSON with its letters as letters, and a line break behind each that is written in it. */
export function readable(text: string, lineBreak = ""): string {
  return text.replace(ESCAPE, (written, high?: string, low?: string, unit?: string) => {
    if (high && low) return shownOr(written, String.fromCharCode(Number.parseInt(high, 16), Number.parseInt(low, 16)));
    if (unit) return shownOr(written, String.fromCharCode(Number.parseInt(unit, 16)));
    return written === "\\n" ? written + lineBreak : written;
  });
}

function shownOr(written: string, character: string): string {
  return character >= "\u0080" && SHOWABLE.test(character) ? character : written;
}

function isOpening(token: string | undefined): boolean {
  return token === "{" || token === "[";
}

function isClosing(token: string | undefined): boolean {
  return token === "}" || token === "]";
}

function newLine(depth: number): string {
  return `\n${"  ".repeat(depth)}`;
}
