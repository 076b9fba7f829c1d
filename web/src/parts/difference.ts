import { diffArrays, diffWordsWithSpace } from "diff";

export interface Side {
  number: number;
  text: string;
  /** Parts of the line, where it was changed in words: `true` for those that differ. */
  words?: [string, boolean][];
}

/** One line of a comparison: what was, what is. A missing side means that the line came or went. */
export interface DiffLine {
  before?: Side;
  after?: Side;
}

export type Row = DiffLine | { skipped: number };

/** Longer lines are compared as a whole: word by word would hold the page up. */
const LONGEST_LINE = 2_000;

export function compare(before: string, after: string): DiffLine[] {
  const lines: DiffLine[] = [];
  let left = 0;
  let right = 0;
  let removed: Side[] = [];
  const settle = (added: Side[]) => {
    for (let index = 0; index < Math.max(removed.length, added.length); index += 1) {
      lines.push(paired(removed[index], added[index]));
    }
    removed = [];
  };
  for (const part of diffArrays(before.split("\n"), after.split("\n"))) {
    if (part.removed) {
      settle([]);
      removed = part.value.map((text) => ({ number: ++left, text }));
    } else if (part.added) {
      settle(part.value.map((text) => ({ number: ++right, text })));
    } else {
      settle([]);
      for (const text of part.value) {
        lines.push({ before: { number: ++left, text }, after: { number: ++right, text } });
      }
    }
  }
  settle([]);
  return lines;
}

function paired(before: Side | undefined, after: Side | undefined): DiffLine {
  if (!before || !after) return { ...(before && { before }), ...(after && { after }) };
  if (Math.max(before.text.length, after.text.length) > LONGEST_LINE) return { before, after };
  const parts = diffWordsWithSpace(before.text, after.text);
  return {
    before: { ...before, words: parts.filter((part) => !part.added).map((part) => [part.value, part.removed]) },
    after: { ...after, words: parts.filter((part) => !part.removed).map((part) => [part.value, part.added]) },
  };
}

export function isSame(line: DiffLine): boolean {
  return line.before !== undefined && line.after !== undefined && line.before.text === line.after.text;
}

/** Leaves out long stretches without a change, with some lines kept around each. */
export function folded(lines: DiffLine[], around = 3): Row[] {
  const near = lines.map(() => false);
  lines.forEach((line, index) => {
    if (isSame(line)) return;
    near.fill(true, Math.max(0, index - around), Math.min(lines.length, index + around + 1));
  });
  const rows: Row[] = [];
  let skipped = 0;
  lines.forEach((line, index) => {
    if (!near[index]) {
      skipped += 1;
      return;
    }
    if (skipped > 0) rows.push({ skipped });
    skipped = 0;
    rows.push(line);
  });
  if (skipped > 0) rows.push({ skipped });
  return rows;
}
