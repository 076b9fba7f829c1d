import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useRef, useState } from "react";
import { client, type Schemas, unwrap } from "@/api/client";
import { useMe } from "@/api/me";
import { keys } from "@/api/queries";
import type { Filter } from "@/pages/notebooks/data";
import { inOrderOf, merged, type ShownHit } from "@/pages/notebooks/hits";

export type Language = Schemas["CellInput"]["language"];

export interface Asked extends Filter {
  text: string;
  /** Notes, messages and sections of sessions too. */
  everything: boolean;
  language: Language | undefined;
  limit: number;
}

export const HITS = 20;
export const MOST_HITS = 100;
/** Milliseconds without a key, after which somebody is taken to have stopped typing. */
const REST = 120;
/** The model of the meaning loads at the first search: it is asked again until it is there, but not for ever. */
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

/** Asks by words and shows what comes; then asks by meaning too. Each question is a key of its own: no old answer wins. */
export function useSearch(asked: Asked, steady: boolean) {
  const meaning = useMe().data?.features.search === "hybrid";
  const byWords = useSearchIn("keyword", asked, asked.text !== "");
  const answered = byWords.data !== undefined && !byWords.isPlaceholderData;
  const byBoth = useSearchIn("hybrid", asked, meaning && answered);
  const both = byBoth.isPlaceholderData ? undefined : byBoth.data;
  const words = asked.text === "" ? undefined : byWords.data;
  const before = useRef<ShownHit[]>([]);
  const hits = useMemo(() => {
    const all = merged(words?.hits ?? [], both?.hits, asked.text);
    const here = asked.shelf === "none" ? all.filter((hit) => hit.scratch_id === undefined || !hit.namespace) : all;
    return steady ? inOrderOf(before.current, here) : here;
  }, [words, both, asked.text, asked.shelf, steady]);
  useEffect(() => {
    before.current = hits;
  }, [hits]);
  return {
    hits,
    /** The hits belong to the text that was asked for, not to the one before. */
    settled: answered,
    thinking: byWords.isFetching || byBoth.isFetching,
    warming: both?.warming === true,
    degraded: both?.degraded,
    more: asked.limit < MOST_HITS && ((both ?? words)?.hits.length ?? 0) >= asked.limit,
    problem: byWords.error,
    again: () => void byWords.refetch(),
  };
}

function useSearchIn(mode: "keyword" | "hybrid", asked: Asked, enabled: boolean) {
  const { text, everything, shelf, tag, language, limit } = asked;
  const query = {
    q: text,
    mode,
    limit,
    ...(!everything && { kinds: ["cell" as const, "scratchpad" as const] }),
    ...(typeof shelf === "object" && { namespaces: [shelf.name] }),
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
