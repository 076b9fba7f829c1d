import { numberOf } from "@/pages/table/news";
import type { Note } from "@/pages/table/notes/data";

export interface NoteFilter {
  text: string;
  tags: ReadonlySet<string>;
  author: string;
}

export interface Counted {
  name: string;
  count: number;
}

export interface NoteColumn {
  id: string;
  title: string;
  notes: Note[];
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

export function filtered(notes: Note[], { text, tags, author }: NoteFilter): Note[] {
  const words = text.trim().toLowerCase();
  if (!words && tags.size === 0 && !author) return notes;
  return notes.filter(
    (note) =>
      (!author || note.author === author) &&
      (tags.size === 0 || note.tags.some((tag) => tags.has(tag))) &&
      (!words || mentions(note, words)),
  );
}

function mentions(note: Note, words: string): boolean {
  return [note.content, note.author, note.id, note.source ?? "", ...note.tags].some((text) =>
    text.toLowerCase().includes(words),
  );
}

/** Most used first, then by name. */
export function tagsOf(notes: Note[]): Counted[] {
  return counted(notes.flatMap((note) => note.tags));
}

export function authorsOf(notes: Note[]): Counted[] {
  return counted(notes.map((note) => note.author));
}

function counted(names: string[]): Counted[] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts]
    .map(([name, count]) => ({ name, count }))
    .sort((a, b) => b.count - a.count || a.name.localeCompare(b.name));
}

/** A column for each of the most used tags (or of the chosen ones), one for all other tags, one for none. */
export function columnsOf(notes: Note[], tags: Counted[], chosen: ReadonlySet<string>): NoteColumn[] {
  const shown = tags.filter((tag) => chosen.size === 0 || chosen.has(tag.name)).slice(0, MOST_COLUMNS);
  const columns = new Map(shown.map(({ name }) => [name, [] as Note[]]));
  const others: Note[] = [];
  const untagged: Note[] = [];
  for (const note of notes) {
    let left = false;
    for (const tag of note.tags) {
      const column = columns.get(tag);
      if (column) column.push(note);
      else left = true;
    }
    if (note.tags.length === 0) untagged.push(note);
    else if (left && chosen.size === 0) others.push(note);
  }
  const named = [...columns].map(([name, held]) => ({ id: `tag:${name}`, title: name, notes: held }));
  return [
    ...named,
    { id: "others", title: "Other tags", notes: others },
    { id: "untagged", title: "Without a tag", notes: untagged },
  ].filter((column) => column.notes.length > 0);
}
