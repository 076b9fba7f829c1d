import { keepPreviousData, useMutation, useQuery } from "@tanstack/react-query";
import { useCallback, useState } from "react";
import { client, unwrap } from "@/api/client";
import { keys } from "@/api/queries";
import { type Cell, idsAround, type Pad, stampOf } from "@/pages/notebooks/data";
import type { Result } from "@/pages/notebooks/findings";

/** A check of all has ten seconds on the server: a long scratchpad is checked in parts. */
const CHECKED_AT_ONCE = 100;

/** The checks that were requested, and their results. They run again when the scratchpad changes. */
export interface Checking {
  /** Results by cell, once a check of all cells was requested. */
  all: Map<string, Result> | undefined;
  allRequested: boolean;
  requested: ReadonlySet<string>;
  request(cellId: string): void;
  requestAll(): void;
  busy: boolean;
  done: number;
  problem: unknown;
}

export function useChecking(pad: Pad): Checking {
  const [requested, setRequested] = useState<ReadonlySet<string>>(new Set());
  const [allRequested, setAllRequested] = useState(false);
  const [done, setDone] = useState(0);
  const id = pad.head.scratch_id;
  const query = useQuery({
    queryKey: [...keys.cells, id, stampOf(pad), "check all"],
    enabled: allRequested,
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
  const request = useCallback((cellId: string) => setRequested((before) => new Set([...before, cellId])), []);
  const requestAll = () => {
    if (allRequested) void query.refetch();
    else setAllRequested(true);
  };
  return {
    all: query.data,
    allRequested,
    requested,
    request,
    requestAll,
    busy: query.isFetching,
    done,
    problem: query.error,
  };
}

/** The result of one cell. Cells with `validate` are checked as they are read. */
export function useCellCheck(pad: Pad, index: number, around: Cell[], cellId: string, checking: Checking) {
  const id = pad.head.scratch_id;
  const stamp = stampOf(pad);
  const near = new Set(idsAround(pad.outline, index));
  const ids = around
    .filter((cell) => near.has(cell.cell_id) && (cell.validate || checking.requested.has(cell.cell_id)))
    .map((cell) => cell.cell_id);
  const query = useQuery({
    queryKey: [...keys.cells, id, stamp, "check", ids],
    enabled: ids.length > 0 && !checking.allRequested,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => check(id, ids, signal),
    select: byCell,
  });
  const one = useMutation({
    mutationFn: (_: string) => check(id, [cellId]),
    onSuccess: () => checking.request(cellId),
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
