import { keepPreviousData, useMutation, useQuery } from "@tanstack/react-query";
import { useCallback, useState } from "react";
import { client, unwrap } from "@/api/client";
import { keys } from "@/api/queries";
import { type Cell, idsAround, type Pad, stampOf } from "@/pages/notebooks/data";
import type { Result } from "@/pages/notebooks/findings";

/** A check of all has ten seconds on the server: a long scratchpad is checked in parts. */
const CHECKED_AT_ONCE = 100;

/** What somebody has asked to have checked, and what came of it. It is checked again when the scratchpad changes. */
export interface Checking {
  /** Results by cell, once all were asked for. */
  all: Map<string, Result> | undefined;
  allAsked: boolean;
  asked: ReadonlySet<string>;
  ask(cellId: string): void;
  askAll(): void;
  busy: boolean;
  done: number;
  problem: unknown;
}

export function useChecking(pad: Pad): Checking {
  const [asked, setAsked] = useState<ReadonlySet<string>>(new Set());
  const [allAsked, setAllAsked] = useState(false);
  const [done, setDone] = useState(0);
  const id = pad.head.scratch_id;
  const query = useQuery({
    queryKey: [...keys.cells, id, stampOf(pad), "check all"],
    enabled: allAsked,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const results: Result[] = [];
      for (const ids of inParts(pad.outline.map((cell) => cell.cell_id))) {
        setDone(results.length);
        results.push(...(await check(id, ids, signal)));
      }
      return results;
    },
    select: byCell,
  });
  const ask = useCallback((cellId: string) => setAsked((before) => new Set([...before, cellId])), []);
  const askAll = () => {
    if (allAsked) void query.refetch();
    else setAllAsked(true);
  };
  return { all: query.data, allAsked, asked, ask, askAll, busy: query.isFetching, done, problem: query.error };
}

/** The result of one cell. Those whose writer wanted them checked are checked as they are read. */
export function useCellCheck(pad: Pad, index: number, around: Cell[], cellId: string, checking: Checking) {
  const id = pad.head.scratch_id;
  const stamp = stampOf(pad);
  const near = new Set(idsAround(pad.outline, index));
  const ids = around
    .filter((cell) => near.has(cell.cell_id) && (cell.validate || checking.asked.has(cell.cell_id)))
    .map((cell) => cell.cell_id);
  const query = useQuery({
    queryKey: [...keys.cells, id, stamp, "check", ids],
    enabled: ids.length > 0 && !checking.allAsked,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => check(id, ids, signal),
    select: byCell,
  });
  const one = useMutation({
    mutationFn: (_: string) => check(id, [cellId]),
    onSuccess: () => checking.ask(cellId),
  });
  const fresh = one.variables === stamp ? one.data?.[0] : undefined;
  const stored = around.find((cell) => cell.cell_id === cellId)?.validation;
  const result = fresh ?? checking.all?.get(cellId) ?? query.data?.get(cellId) ?? stored;
  return {
    result,
    waiting: !result && (checking.busy || (query.isFetching && ids.includes(cellId))),
    busy: one.isPending,
    problem: one.error ?? query.error,
    start: () => one.mutate(stamp),
  };
}

async function check(id: string, cell_ids: string[], signal?: AbortSignal): Promise<Result[]> {
  const answer = await unwrap(
    client.POST("/scratchpads/{scratch_id}/validate", {
      params: { path: { scratch_id: id } },
      body: { cell_ids },
      ...(signal && { signal }),
    }),
  );
  return answer.results;
}

function byCell(results: Result[]): Map<string, Result> {
  return new Map(results.map((result) => [result.cell_id, result]));
}

function inParts(ids: string[]): string[][] {
  const parts: string[][] = [];
  for (let first = 0; first < ids.length; first += CHECKED_AT_ONCE) {
    parts.push(ids.slice(first, first + CHECKED_AT_ONCE));
  }
  return parts;
}
