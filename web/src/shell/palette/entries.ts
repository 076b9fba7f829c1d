/** One thing to go to or to do. */
export interface PaletteEntry {
  id: string;
  title: string;
  /** What it is or where it is, in a few words. */
  about?: string;
  /** Words that find it besides the title. */
  also?: string;
  act: () => void;
}

export interface EntryGroup {
  title: string;
  entries: PaletteEntry[];
}

/** Of each group, while somebody types; all of them would hide the other groups. */
const MOST = 6;

/** Those whose title has all the words, the earlier the better; then those that are found by what is said about them. */
export function found(entries: PaletteEntry[], text: string): PaletteEntry[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return entries;
  const ranked = entries.map((entry) => ({ entry, rank: rankOf(entry, words) })).filter(({ rank }) => rank > 0);
  return ranked.sort((one, other) => other.rank - one.rank).map(({ entry }) => entry);
}

function rankOf({ title, about = "", also = "" }: PaletteEntry, words: string[]): number {
  const head = title.toLowerCase();
  if (words.every((word) => head.includes(word))) return head.startsWith(words[0] ?? "") ? 3 : 2;
  const all = `${head} ${about} ${also}`.toLowerCase();
  return words.every((word) => all.includes(word)) ? 1 : 0;
}

/** What is shown for a text: the groups that have anything, each with its best. */
export function shown(groups: EntryGroup[], text: string): EntryGroup[] {
  return groups
    .map(({ title, entries }) => ({ title, entries: found(entries, text).slice(0, MOST) }))
    .filter(({ entries }) => entries.length > 0);
}

/** The place after a key, among so many; it goes round. */
export function moved(at: number, key: string, count: number): number {
  if (count === 0) return 0;
  const steps: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: count - 1 };
  return ((steps[key] ?? at) + count) % count;
}
