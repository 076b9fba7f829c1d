import { type QueryKey, useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useRef, useState } from "react";

/** A part of a long list, oldest first: its newest end, which grows by itself, or what stands around one item. */
export interface Recent<Item> {
  items: Item[];
  /** Whether there are older ones that were not read yet. */
  older: boolean;
  /** Whether there may be newer ones that were not read yet; then it does not grow by itself. */
  newer?: boolean;
}

export interface Reading<Item> {
  queryKey: QueryKey;
  numberOf: (item: Item) => number;
  /** The newest ones below a number, or of all; oldest first. */
  before: (number: number | null, signal?: AbortSignal) => Promise<Recent<Item>>;
  /** Those after a number, oldest first: a page of them, or all. */
  after: (number: number, signal?: AbortSignal) => Promise<{ items: Item[]; more: boolean }>;
  /** The number of an item to begin around, instead of at the end. */
  around?: number | undefined;
}

/** So many newer ones are read with an item that was looked for. */
const NEWER = 25;

export function useRecent<Item extends object>(reading: Reading<Item>) {
  const { queryKey } = reading;
  const queries = useQueryClient();
  const known = () => queries.getQueryData<Recent<Item>>(queryKey);
  const query = useQuery({
    queryKey,
    structuralSharing: false,
    queryFn: async ({ signal }) => {
      const former = known();
      if (!former || former.items.length === 0) return beginning(reading, signal);
      return former.newer ? former : untilNow(reading, former, known, signal);
    },
  });
  const older = useReading(async () => {
    const first = known()?.items[0];
    if (!first) return;
    const page = await reading.before(reading.numberOf(first));
    queries.setQueryData<Recent<Item>>(queryKey, (now) => withOlder(now, page, first));
  });
  const newer = useReading(async () => {
    const last = known()?.items.at(-1);
    if (!last) return;
    const { items, more } = await reading.after(reading.numberOf(last));
    queries.setQueryData<Recent<Item>>(queryKey, (now) =>
      now ? { ...withNewer(now, items, reading.numberOf), newer: more } : now,
    );
  });
  return {
    query,
    readOlder: older.read,
    readNewer: newer.read,
    loading: older.loading,
    problem: older.problem ?? newer.problem,
  };
}

async function beginning<Item>(reading: Reading<Item>, signal: AbortSignal): Promise<Recent<Item>> {
  const { around, before, numberOf } = reading;
  if (around === undefined) return before(null, signal);
  const part = await before(around + NEWER + 1, signal);
  const last = part.items.at(-1);
  return { ...part, newer: last !== undefined && numberOf(last) >= around + NEWER };
}

async function untilNow<Item>(
  reading: Reading<Item>,
  former: Recent<Item>,
  known: () => Recent<Item> | undefined,
  signal: AbortSignal,
): Promise<Recent<Item>> {
  const found: Item[] = [];
  for (;;) {
    const last = found.at(-1) ?? (former.items.at(-1) as Item);
    const { items, more } = await reading.after(reading.numberOf(last), signal);
    found.push(...items);
    if (!more || items.length === 0) break;
  }
  // Older ones may have been read meanwhile.
  const now = known();
  return now ? withNewer(now, found, reading.numberOf) : beginning(reading, signal);
}

/** One reading at a time. */
function useReading(act: () => Promise<void>) {
  const running = useRef(false);
  const [loading, setLoading] = useState(false);
  const [problem, setProblem] = useState<unknown>(null);
  const latest = useRef(act);
  latest.current = act;
  const read = useCallback(async () => {
    if (running.current) return;
    running.current = true;
    setLoading(true);
    setProblem(null);
    try {
      await latest.current();
    } catch (reason) {
      setProblem(reason);
    } finally {
      running.current = false;
      setLoading(false);
    }
  }, []);
  return { read, loading, problem };
}

export function withNewer<Item>(known: Recent<Item>, newer: Item[], numberOf: (item: Item) => number): Recent<Item> {
  const last = known.items.at(-1);
  const fresh = last ? newer.filter((item) => numberOf(item) > numberOf(last)) : newer;
  return fresh.length === 0 ? known : { ...known, items: [...known.items, ...fresh] };
}

/** `first` was the first item when the page was requested. If it is not any more, the list was read again (a text was
 * redacted), and what is in the page may be what must not be shown. */
export function withOlder<Item>(
  known: Recent<Item> | undefined,
  page: Recent<Item>,
  first: Item,
): Recent<Item> | undefined {
  if (known?.items[0] !== first) return known;
  return { items: [...page.items, ...known.items], older: page.older };
}
