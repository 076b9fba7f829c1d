/** A quick layout for plans that are too large for a good one: a column for each step, neighbours near each other. */

export interface Tied {
  id: string;
  depends_on: string[];
}

/** Forth and back so often: more moves little. */
const SWEEPS = 4;

/** The column of each box, and its place in it. A box stands right of everything that it waits for. */
export function columnsOf(boxes: Tied[]): string[][] {
  const ranks = ranksOf(boxes);
  const columns: string[][] = [];
  for (const { id } of boxes) {
    const rank = ranks.get(id) ?? 0;
    columns[rank] = [...(columns[rank] ?? []), id];
  }
  const before = new Map(boxes.map((box) => [box.id, box.depends_on]));
  const after = new Map<string, string[]>(boxes.map((box) => [box.id, []]));
  for (const box of boxes) for (const other of box.depends_on) after.get(other)?.push(box.id);
  let ordered = Array.from(columns, (column) => column ?? []);
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    ordered = arranged(ordered, before);
    ordered = arranged(ordered.toReversed(), after).toReversed();
  }
  return ordered;
}

function ranksOf(boxes: Tied[]): Map<string, number> {
  const before = new Map(boxes.map((box) => [box.id, box.depends_on]));
  const ranks = new Map<string, number>();
  const open = new Set<string>();
  for (const { id } of boxes) {
    const stack = [id];
    while (stack.length > 0) {
      const here = stack.at(-1) as string;
      const left = (before.get(here) ?? []).filter(
        (other) => before.has(other) && !ranks.has(other) && !open.has(other),
      );
      if (left.length > 0 && !ranks.has(here)) {
        open.add(here);
        stack.push(...left);
        continue;
      }
      stack.pop();
      open.delete(here);
      const behind = (before.get(here) ?? []).map((other) => ranks.get(other) ?? -1);
      ranks.set(here, Math.max(-1, ...behind) + 1);
    }
  }
  return ranks;
}

/** Each box moves towards the middle of those in earlier columns that it is tied to. */
function arranged(columns: string[][], ties: ReadonlyMap<string, string[]>): string[][] {
  const places = new Map<string, number>();
  return columns.map((column) => {
    const wish = (id: string, index: number) => {
      const near = (ties.get(id) ?? []).flatMap((other) => places.get(other) ?? []);
      return near.length === 0 ? middle(index, column.length) : near.reduce((sum, one) => sum + one, 0) / near.length;
    };
    const wishes = new Map(column.map((id, index) => [id, wish(id, index)]));
    const sorted = column.toSorted((a, b) => (wishes.get(a) ?? 0) - (wishes.get(b) ?? 0));
    for (const [index, id] of sorted.entries()) places.set(id, middle(index, sorted.length));
    return sorted;
  });
}

/** Columns are centred: the middle of each is at 0. */
function middle(index: number, length: number): number {
  return index - (length - 1) / 2;
}
