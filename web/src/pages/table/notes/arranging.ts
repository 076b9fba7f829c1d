import { numberOf } from "@/pages/table/news";
import type { Note, NoteChoice, NoteTags } from "@/pages/table/notes/data";

/** What the address says about the corkboard. */
export interface NoteFilter extends NoteChoice {
  text: string;
  /** Whether to search by meaning too. */
  meaning: boolean;
}

export interface NoteColumn {
  id: string;
  title: string;
  choice: NoteChoice;
  count: number;
}

export const MOST_COLUMNS = 12;

export function newestFirst(notes: Note[]): Note[] {
  return [...notes].sort((a, b) => numberOf(b.id) - numberOf(a.id));
}

/** Which note stands for which older one. Read from the newer one too: the older was read before there was one. */
export function successors(notes: Note[]): Map<string, string> {
  const found = new Map<string, string>();
  const learn = (old: string, successor: string) => {
    const known = found.get(old);
    // The first successor stays, as on the server.
    if (!known || numberOf(successor) < numberOf(known)) found.set(old, successor);
  };
  for (const note of notes) {
    if (note.superseded_by) learn(note.id, note.superseded_by);
    if (note.supersedes) learn(note.supersedes, note.id);
  }
  return found;
}

/** The tags that have a column, in the order in which they first had one: what is open never moves. */
export function steadyOrder(former: string[], counted: NoteTags["tags"], chosen: string[]): string[] {
  if (chosen.length > 0) return chosen.slice(0, MOST_COLUMNS);
  const there = new Set(counted.map(({ tag }) => tag));
  const kept = former.filter((tag) => there.has(tag));
  const others = counted.map(({ tag }) => tag).filter((tag) => !kept.includes(tag));
  return [...kept, ...others].slice(0, MOST_COLUMNS);
}

/** A column with all notes, and one for each tag. */
export function columnsOf(order: string[], counted: NoteTags, filter: NoteFilter): NoteColumn[] {
  const counts = new Map(counted.tags.map(({ tag, count }) => [tag, count]));
  const named = order.map((tag) => ({
    id: `tag:${tag}`,
    title: tag,
    choice: { tags: [tag], author: filter.author },
    count: counts.get(tag) ?? 0,
  }));
  if (filter.tags.length > 0) return named;
  const all = { id: "all", title: "All notes", choice: { tags: [], author: filter.author }, count: counted.total };
  return [all, ...named];
}

export function filterOf(address: URLSearchParams): NoteFilter {
  return {
    text: address.get("q") ?? "",
    meaning: address.get("search") === "meaning",
    tags: [...new Set(address.getAll("tag"))],
    author: address.get("author") ?? "",
  };
}

/** The same for the address, without what is not narrowed. */
export function addressOf({ text, meaning, tags, author }: NoteFilter): URLSearchParams {
  const address = new URLSearchParams();
  if (text) address.set("q", text);
  if (text && meaning) address.set("search", "meaning");
  for (const tag of tags) address.append("tag", tag);
  if (author) address.set("author", author);
  return address;
}
