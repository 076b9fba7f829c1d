import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { client, type Schemas, unwrap } from "@/api/client";
import { useMe } from "@/api/me";
import { keys } from "@/api/queries";
import { numberOf } from "@/pages/table/news";
import { type Reading, useRecent } from "@/pages/table/recent";

export type Note = Schemas["NoteView"];
export type NoteTags = Schemas["NoteTags"];

/** What a list of notes is narrowed to. */
export interface NoteChoice {
  tags: string[];
  author: string;
}

const PAGE = 50;
const CATCH_UP = 200;

type PageRequest = { limit: number; before?: string; after?: string; order?: "oldest" };

/** How often each tag and author stands at the notes; the notes themselves are read as they are looked at. */
export function useNoteTags(id: string) {
  return useQuery({
    queryKey: [...keys.of(id, "notes"), "tags"],
    queryFn: ({ signal }) =>
      unwrap(client.GET("/sessions/{session_id}/notes/tags", { params: { path: { session_id: id } }, signal })),
  });
}

/** The newest notes of a choice, or those around one of them. */
export function useNotes(id: string, choice: NoteChoice, around?: number) {
  const { tags, author } = choice;
  const chosen = tags.join("\u0000");
  const reading = useMemo<Reading<Note>>(() => {
    const narrowed = {
      ...(chosen ? { tags: chosen.split("\u0000") } : {}),
      ...(author ? { author } : {}),
    };
    const ask = (request: PageRequest, signal?: AbortSignal) => {
      const options = { params: { path: { session_id: id }, query: { ...request, ...narrowed } } };
      return unwrap(client.GET("/sessions/{session_id}/notes", signal ? { ...options, signal } : options));
    };
    return {
      queryKey: [...keys.of(id, "notes"), "list", chosen, author, around],
      numberOf: (note) => numberOf(note.id),
      around,
      before: async (number, signal) => {
        const page = await ask({ limit: PAGE, ...(number === null ? {} : { before: `n${number}` }) }, signal);
        return { items: page.notes, older: page.older !== undefined };
      },
      after: async (number, signal) => {
        const page = await ask({ limit: CATCH_UP, after: `n${number}` }, signal);
        return { items: page.notes, more: page.next_cursor !== null };
      },
    };
  }, [id, chosen, author, around]);
  return useRecent(reading);
}

interface NoteQuery extends NoteChoice {
  query: string;
  /** By meaning too, where the server can. */
  meaning: boolean;
}

const FOUND = 100;

/** Searches on the server: by words as somebody types, and by meaning too when asked to. */
export function useFoundNotes(id: string, search: NoteQuery) {
  const offered = useMe().data?.features.search ?? "keyword";
  const mode = search.meaning ? offered : "keyword";
  const { query, tags, author } = search;
  return useQuery({
    queryKey: [...keys.of(id, "notes"), "found", query, tags, author, mode],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => {
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
