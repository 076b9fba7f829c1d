import { useQuery } from "@tanstack/react-query";
import { client, type Schemas, unwrap } from "@/api/client";
import { useMe } from "@/api/me";
import { keys } from "@/api/queries";
import { type Page, useGrowing } from "@/live/growing";
import { numberOf } from "@/pages/table/news";

export type Note = Schemas["NoteView"];

/** Where reading goes on: at the older notes while there are unread ones, then only at those newer than `newest`. */
export interface Mark {
  older: string | null;
  newest: number;
}

interface Asked {
  limit: number;
  cursor?: string;
}
type NotePage = Pick<Schemas["NotePage"], "notes" | "total" | "next_cursor">;
type Ask = (asked: Asked) => Promise<NotePage>;

const PAGE = 500;
const HEAD = 100;

export function useNotes(id: string) {
  return useGrowing<Note, Mark>({
    queryKey: [...keys.of(id, "notes"), "all"],
    idOf: (note) => note.id,
    read: (after, signal) =>
      readOn(after, (asked) =>
        unwrap(
          client.GET("/sessions/{session_id}/notes", {
            params: { path: { session_id: id }, query: { order: "newest", ...asked } },
            signal,
          }),
        ),
      ),
  });
}

/** The newest page first, so that there is something to read at once; then the older ones; later only what is new. */
export async function readOn(after: Mark | null, ask: Ask): Promise<Page<Note, Mark>> {
  if (after !== null && after.older === null) return readNew(after.newest, ask);
  const page = await ask(after?.older ? { limit: PAGE, cursor: after.older } : { limit: PAGE });
  const first = page.notes[0];
  const newest = after?.newest ?? (first ? numberOf(first.id) : 0);
  // While the older pages came, new notes may have: after the last page the head is looked at once more.
  const more = page.next_cursor !== null || after !== null;
  return { items: page.notes, next: { older: page.next_cursor, newest }, more, total: page.total };
}

async function readNew(newest: number, ask: Ask): Promise<Page<Note, Mark>> {
  const items: Note[] = [];
  let asked: Asked = { limit: HEAD };
  for (;;) {
    const page = await ask(asked);
    items.push(...page.notes.filter((note) => numberOf(note.id) > newest));
    const last = page.notes.at(-1);
    if (page.next_cursor === null || !last || numberOf(last.id) <= newest + 1) {
      const top = items[0];
      return {
        items,
        next: { older: null, newest: top ? numberOf(top.id) : newest },
        more: false,
        total: page.total,
      };
    }
    asked = { limit: PAGE, cursor: page.next_cursor };
  }
}

export interface Sought {
  query: string;
  tags: string[];
  author: string;
}

const FOUND = 100;

/** The server finds by meaning too, where it has the means. */
export function useFoundNotes(id: string, sought: Sought | null) {
  const mode = useMe().data?.features.search ?? "keyword";
  return useQuery({
    queryKey: [...keys.of(id, "notes"), "found", sought, mode],
    enabled: sought !== null,
    queryFn: ({ signal }) => {
      const { query, tags, author } = sought ?? { query: "", tags: [], author: "" };
      const narrowed = { ...(tags.length > 0 ? { tags } : {}), ...(author ? { author } : {}) };
      return unwrap(
        client.GET("/sessions/{session_id}/notes", {
          params: { path: { session_id: id }, query: { query, mode, limit: FOUND, ...narrowed } },
          signal,
        }),
      );
    },
  });
}
