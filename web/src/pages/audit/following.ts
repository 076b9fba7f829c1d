import { type InfiniteData, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { client, type Schemas, unwrap } from "@/api/client";
import { useLiveEvents } from "@/live/EventStreamProvider";
import { type AuditQuery, isOnlyALook } from "@/pages/audit/filters";

export type AuditRecord = Schemas["AuditEntry"];
type Pages = InfiniteData<Schemas["AuditPage"], string>;

/** Every look at the log is a record in it, so a burst of events is one look, this many milliseconds after the first. */
const AFTER_EVENT = 1_500;
/** A refusal has no event: it is found by looking now and then. */
const NOW_AND_THEN = 15_000;
const PAGE = 200;
const ROUNDS = 5;

/** The same pages with what is newer before the first. */
export function withNewer(data: Pages | undefined, newer: AuditRecord[]): Pages | undefined {
  const [first, ...rest] = data?.pages ?? [];
  if (!data || !first || newer.length === 0) return data;
  const known = new Set(first.entries.map((entry) => entry.seq));
  const added = newer.filter((entry) => !known.has(entry.seq));
  return { ...data, pages: [{ ...first, entries: [...added, ...first.entries] }, ...rest] };
}

/** Records newer than `known`; undefined where there are too many to have them all. */
async function newerThan(known: number, query: AuditQuery): Promise<AuditRecord[] | undefined> {
  const found: AuditRecord[] = [];
  let cursor: string | undefined;
  for (let round = 0; round < ROUNDS; round++) {
    const params = { query: { ...query, limit: PAGE, ...(cursor && { cursor }) } };
    const page = await unwrap(client.GET("/audit", { params }));
    const newer = page.entries.filter((entry) => entry.seq > known);
    found.push(...newer);
    if (newer.length < page.entries.length || !page.next_cursor) return found;
    cursor = page.next_cursor;
  }
  return undefined;
}

interface Following {
  /** Records that wait because the reader is further down: showing them would move what is being read. */
  held: AuditRecord[];
  show: () => void;
}

/** Follows the log while its page is open. `queryKey` is that of the pages, `query` what they show. */
export function useFollowing(queryKey: readonly unknown[], query: AuditQuery, all: boolean): Following {
  const queries = useQueryClient();
  const [held, setHeld] = useState<AuditRecord[]>([]);
  const seen = useRef(0);
  const busy = useRef(false);
  const key = JSON.stringify(queryKey);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another filter begins anew
  useEffect(() => {
    seen.current = 0;
    setHeld([]);
  }, [key]);
  const add = (newer: AuditRecord[]) => queries.setQueryData<Pages>(queryKey, (data) => withNewer(data, newer));
  const found = (newer: AuditRecord[]) => {
    seen.current = Math.max(seen.current, newer[0]?.seq ?? 0);
    const shown = all ? newer : newer.filter((entry) => !isOnlyALook(entry));
    if (shown.length === 0) return;
    if (isReading()) setHeld((before) => [...shown, ...before]);
    else add(shown);
  };
  const look = async () => {
    const top = queries.getQueryData<Pages>(queryKey)?.pages[0];
    if (!top || busy.current || document.hidden) return;
    busy.current = true;
    try {
      const newer = await newerThan(Math.max(seen.current, top.entries[0]?.seq ?? 0), query);
      if (newer) found(newer);
      else await queries.resetQueries({ queryKey });
    } catch {
      // The page says that the connection is lost; the next look may succeed.
    } finally {
      busy.current = false;
    }
  };
  useLooks(look);
  const show = () => {
    add(held);
    setHeld([]);
    document.getElementById("log")?.scrollIntoView({ block: "start" });
  };
  return { held, show };
}

/** Whether somebody has gone down the list, or opened a record. */
function isReading(): boolean {
  const log = document.getElementById("log");
  const gone = log !== null && log.getBoundingClientRect().bottom < 0;
  return gone || document.querySelector("tr[data-open]") !== null;
}

function useLooks(look: () => Promise<unknown>): void {
  const latest = useRef(look);
  latest.current = look;
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useLiveEvents(() => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      void latest.current();
    }, AFTER_EVENT);
  });
  useEffect(() => {
    const ticks = setInterval(() => void latest.current(), NOW_AND_THEN);
    return () => {
      clearInterval(ticks);
      clearTimeout(timer.current);
    };
  }, []);
}
