import { useQuery } from "@tanstack/react-query";
import { client, type Schemas, unwrap } from "@/api/client";
import { useMe } from "@/api/me";
import { keys } from "@/api/queries";
import { type Page, useAppendOnlyList } from "@/live/appendOnly";
import { numberOf } from "@/pages/table/news";

export type Note = Schemas["NoteView"];

/** Older notes are read first, page by page; after that only notes newer than `newest`. */
export interface NoteCursor {
  older: string | null;
  newest: number;
}

interface PageRequest {
  limit: number;
  cursor?: string;
}
type NotePage = Pick<Schemas["NotePage"], "notes" | "total" | "older">;
type FetchPage = (request: PageRequest) => Promise<NotePage>;

const PAGE = 500;
const HEAD = 100;

export function useNotes(id: string) {
  return useAppendOnlyList<Note, NoteCursor>({
    queryKey: [...keys.of(id, "notes"), "all"],
    idOf: (note) => note.id,
    read: (after, signal) =>
      readPage(after, (request) =>
        unwrap(
          client.GET("/sessions/{session_id}/notes", {
            params: { path: { session_id: id }, query: request },
            signal,
          }),
        ),
      ),
  });
}

/** The newest page first, so that there is something to read at once; then the older ones; then only new notes. */
export async function readPage(after: NoteCursor | null, fetchPage: FetchPage): Promise<Page<Note, NoteCursor>> {
  if (after !== null && after.older === null) return readNew(after.newest, fetchPage);
  const page = await fetchPage(after?.older ? { limit: PAGE, cursor: after.older } : { limit: PAGE });
  const notes = page.notes.toReversed();
  const older = page.older ?? null;
  const newest = after?.newest ?? (notes[0] ? numberOf(notes[0].id) : 0);
  // New notes may have been added while the older pages were read: the first page is read once more at the end.
  const more = older !== null || after !== null;
  return { items: notes, next: { older, newest }, more, total: page.total };
}

async function readNew(newest: number, fetchPage: FetchPage): Promise<Page<Note, NoteCursor>> {
  const items: Note[] = [];
  let request: PageRequest = { limit: HEAD };
  for (;;) {
    const page = await fetchPage(request);
    items.push(...page.notes.toReversed().filter((note) => numberOf(note.id) > newest));
    const oldest = page.notes[0];
    if (!page.older || !oldest || numberOf(oldest.id) <= newest + 1) {
      const top = items[0];
      return {
        items,
        next: { older: null, newest: top ? numberOf(top.id) : newest },
        more: false,
        total: page.total,
      };
    }
    request = { limit: PAGE, cursor: page.older };
  }
}

export interface NoteQuery {
  query: string;
  tags: string[];
  author: string;
}

const FOUND = 100;

/** Searches on the server, by meaning too where it can. */
export function useFoundNotes(id: string, search: NoteQuery | null) {
  const mode = useMe().data?.features.search ?? "keyword";
  return useQuery({
    queryKey: [...keys.of(id, "notes"), "found", search, mode],
    enabled: search !== null,
    queryFn: ({ signal }) => {
      const { query, tags, author } = search ?? { query: "", tags: [], author: "" };
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
