import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useRef, useState } from "react";
import { client, type Schemas, unwrap } from "@/api/client";
import { useMe } from "@/api/me";
import { keys } from "@/api/queries";
import type { NotebookFilter } from "@/pages/notebooks/data";
import { inOrderOf, merged, type ShownHit } from "@/pages/notebooks/hits";

export type Language = Schemas["CellInput"]["language"];

export type HitKind = Schemas["AnyHit"]["kind"];
const NOTEBOOK_KINDS: HitKind[] = ["cell", "scratchpad"];
export const TEXT_KINDS: HitKind[] = [...NOTEBOOK_KINDS, "note", "section", "message"];
export const WORK_KINDS: HitKind[] = ["task", "question"];

/** In the notebooks, or in all sessions too. */
export function kindsIn(everything: boolean): HitKind[] {
  return everything ? [...TEXT_KINDS, ...WORK_KINDS] : NOTEBOOK_KINDS;
}

interface SearchRequest extends NotebookFilter {
  text: string;
  kinds: HitKind[];
  language: Language | undefined;
  limit: number;
}

export const HITS = 20;
export const MOST_HITS = 100;
/** Milliseconds without a keystroke before the search starts. */
const REST = 120;
/** The model of the meaning loads at the first search: it is tried again until it is there, but not for ever. */
const WARMING = 1_200;
const MOST_TRIES = 10;

/** The text as it was when the typing last rested; at once when it is emptied. */
export function useRested(text: string): string {
  const [rested, setRested] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setRested(text), text ? REST : 0);
    return () => clearTimeout(timer);
  }, [text]);
  return rested;
}

/** Searches by words first, then by meaning too. Each search has a query key of its own, so no old result wins. */
export function useSearch(request: SearchRequest, steady: boolean) {
  const meaning = useMe().data?.features.search === "hybrid";
  const byWords = useSearchIn("keyword", request, request.text !== "");
  const answered = byWords.data !== undefined && !byWords.isPlaceholderData;
  const byBoth = useSearchIn("hybrid", request, meaning && answered);
  const both = byBoth.isPlaceholderData ? undefined : byBoth.data;
  const words = request.text === "" ? undefined : byWords.data;
  const before = useRef<ShownHit[]>([]);
  const hits = useMemo(() => {
    const all = merged(words?.hits ?? [], both?.hits, request.text);
    const here =
      request.namespace === "none" ? all.filter((hit) => hit.scratch_id === undefined || !hit.namespace) : all;
    return steady ? inOrderOf(before.current, here) : here;
  }, [words, both, request.text, request.namespace, steady]);
  useEffect(() => {
    before.current = hits;
  }, [hits]);
  return {
    hits,
    /** The hits belong to the text that was searched for, not to the one before. */
    settled: answered,
    thinking: byWords.isFetching || byBoth.isFetching,
    warming: both?.warming === true,
    degraded: both?.degraded,
    more: request.limit < MOST_HITS && ((both ?? words)?.hits.length ?? 0) >= request.limit,
    problem: byWords.error,
    again: () => void byWords.refetch(),
  };
}

function useSearchIn(mode: "keyword" | "hybrid", request: SearchRequest, enabled: boolean) {
  const { text, kinds, namespace, tag, language, limit } = request;
  const query = {
    q: text,
    mode,
    limit,
    kinds,
    ...(typeof namespace === "object" && { namespaces: [namespace.name] }),
    ...(tag !== undefined && { tags: [tag] }),
    ...(language && { languages: [language] }),
  };
  return useQuery({
    queryKey: [...keys.notebooks, "search", query],
    enabled,
    placeholderData: keepPreviousData,
    gcTime: 30_000,
    queryFn: ({ signal }) => unwrap(client.GET("/search", { params: { query }, signal })),
    refetchInterval: ({ state }) => (state.data?.warming && state.dataUpdateCount < MOST_TRIES ? WARMING : false),
  });
}
