import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { ApiError, client, type Schemas, unwrap } from "@/api/client";
import { keys } from "@/api/queries";

export type ListedPad = Schemas["ListedScratchpad"];
export type Cell = Schemas["FullCell"];
export type ListedCell = Schemas["ListedCell"];
type PadHead = Omit<Schemas["FullScratchpad"], "cells">;

/** All scratchpads, those in no namespace, or those in one. */
export type NamespaceChoice = "all" | "none" | { name: string };

export interface NotebookFilter {
  namespace: NamespaceChoice;
  tag: string | undefined;
}

const PAGE = 100;
/** The server has no filter for "in no namespace": larger pages are sorted out here. */
const PAGE_TO_SORT = 1000;

/** week-2 comes before week-10. */
const byName = new Intl.Collator("en", { numeric: true });

export function useNamespaces() {
  return useQuery({
    queryKey: [...keys.notebooks, "namespaces"],
    queryFn: ({ signal }) => unwrap(client.GET("/namespaces", { signal })),
    select: (answer) => answer.namespaces,
  });
}

/** Tags of scratchpads and of cells: a scratchpad is found by both. */
export function useTags(namespace: NamespaceChoice) {
  const namespaces = typeof namespace === "object" ? [namespace.name] : [];
  return useQuery({
    queryKey: [...keys.notebooks, "tags", namespaces],
    queryFn: ({ signal }) => unwrap(client.GET("/tags", { params: { query: { namespaces } }, signal })),
    placeholderData: keepPreviousData,
    select: (answer) => [...new Set([...answer.scratchpad_tags, ...answer.cell_tags])].sort(byName.compare),
  });
}

export function usePads({ namespace, tag }: NotebookFilter) {
  const query = {
    limit: namespace === "none" ? PAGE_TO_SORT : PAGE,
    ...(typeof namespace === "object" && { namespaces: [namespace.name] }),
    ...(tag !== undefined && { tags: [tag] }),
  };
  return useInfiniteQuery({
    queryKey: [...keys.notebooks, "list", query],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      unwrap(
        client.GET("/scratchpads", {
          params: { query: { ...query, ...(pageParam && { cursor: pageParam }) } },
          signal,
        }),
      ),
    getNextPageParam: (page) => page.next_cursor,
    select: ({ pages }) => {
      const all = pages.flatMap((page) => page.scratchpads);
      return namespace === "none" ? all.filter((pad) => pad.namespace === null) : all;
    },
  });
}

/** The ids in use, to say whose place something from the trash would take. */
export function useIdsInUse() {
  return useQuery({
    queryKey: [...keys.notebooks, "ids"],
    queryFn: async ({ signal }) => {
      const ids: string[] = [];
      let cursor: string | undefined;
      do {
        const query = { limit: PAGE_TO_SORT, ...(cursor && { cursor }) };
        const page = await unwrap(client.GET("/scratchpads", { params: { query }, signal }));
        ids.push(...page.scratchpads.map((pad) => pad.scratch_id));
        cursor = page.next_cursor;
      } while (cursor);
      return ids;
    },
    select: (ids) => new Set(ids),
  });
}

/** A scratchpad without the texts of its cells: those are read as they come into sight, some at a time. */
export interface Pad {
  head: PadHead;
  outline: ListedCell[];
  /** The texts of the first cells, which came with the head. */
  first: Cell[];
}

/** How many cells are requested at once: each can have a megabyte. */
export const AT_ONCE = 10;

export function usePad(id: string) {
  return useQuery({
    queryKey: [...keys.notebooks, "pad", id],
    queryFn: async ({ signal }) => {
      try {
        return await readPad(id, signal);
      } catch (problem) {
        // A cell was deleted between the two requests: read both again.
        if (problem instanceof ApiError && problem.code === "INVALID_ID") return await readPad(id, signal);
        throw problem;
      }
    },
  });
}

async function readPad(id: string, signal: AbortSignal): Promise<Pad> {
  const outline = await readOutline(id, signal);
  const { cells, ...head } = await readCells(id, idsAround(outline, 0), signal);
  return { head, outline, first: cells };
}

async function readOutline(id: string, signal: AbortSignal): Promise<ListedCell[]> {
  const cells: ListedCell[] = [];
  let cursor: string | undefined;
  do {
    const query = { limit: PAGE_TO_SORT, ...(cursor && { cursor }) };
    const page = await unwrap(
      client.GET("/scratchpads/{scratch_id}/cells", { params: { path: { scratch_id: id }, query }, signal }),
    );
    cells.push(...page.cells);
    cursor = page.next_cursor;
  } while (cursor);
  return cells;
}

async function readCells(id: string, cell_ids: string[], signal: AbortSignal) {
  const answer = await unwrap(
    client.GET("/scratchpads/{scratch_id}", { params: { path: { scratch_id: id }, query: { cell_ids } }, signal }),
  );
  return answer.scratchpad;
}

export function idsAround(outline: ListedCell[], index: number): string[] {
  const first = index - (index % AT_ONCE);
  return outline.slice(first, first + AT_ONCE).map((cell) => cell.cell_id);
}

/** Names one state of a scratchpad: after a reset its versions begin anew. */
export function stampOf({ head }: Pad): string {
  return `${head.updated_at} ${head.version}`;
}

/** The cells that are read together with this one. */
export function useCellsAround(pad: Pad, index: number) {
  const id = pad.head.scratch_id;
  const ids = idsAround(pad.outline, index);
  const came = index < AT_ONCE;
  const query = useQuery({
    queryKey: [...keys.cells, id, stampOf(pad), ids],
    enabled: !came,
    queryFn: async ({ signal }) => (await readCells(id, ids, signal)).cells,
    placeholderData: keepPreviousData,
  });
  return { cells: came ? pad.first : query.data, problem: query.error, again: () => void query.refetch() };
}

export function useSchemas(id: string, open: boolean) {
  return useQuery({
    queryKey: [...keys.notebooks, "pad", id, "schemas"],
    enabled: open,
    queryFn: ({ signal }) =>
      unwrap(client.GET("/scratchpads/{scratch_id}/schemas", { params: { path: { scratch_id: id } }, signal })),
    select: (answer) => answer.schemas,
  });
}

export function useTrash() {
  return useInfiniteQuery({
    queryKey: keys.trash,
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      unwrap(
        client.GET("/trash", { params: { query: { limit: PAGE, ...(pageParam && { cursor: pageParam }) } }, signal }),
      ),
    getNextPageParam: (page) => page.next_cursor,
    select: ({ pages }) => pages.flatMap((page) => page.trash),
  });
}
