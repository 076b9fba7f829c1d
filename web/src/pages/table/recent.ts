import { type QueryKey, useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useRef, useState } from "react";

/** The newest end of a long list, oldest first: it grows by itself at the end, and at the beginning on demand. */
export interface Recent<Item> {
  items: Item[];
  /** Whether there are older ones that were not read yet. */
  older: boolean;
}

export interface Reading<Item> {
  queryKey: QueryKey;
  numberOf: (item: Item) => number;
  /** The newest ones below a number, or of all; oldest first. */
  before: (number: number | null, signal?: AbortSignal) => Promise<Recent<Item>>;
  /** All after a number, oldest first. */
  after: (number: number, signal: AbortSignal) => Promise<Item[]>;
}

export function useRecent<Item extends object>(reading: Reading<Item>) {
  const { queryKey, numberOf, before, after } = reading;
  const queries = useQueryClient();
  const known = () => queries.getQueryData<Recent<Item>>(queryKey);
  const query = useQuery({
    queryKey,
    structuralSharing: false,
    queryFn: async ({ signal }) => {
      const last = known()?.items.at(-1);
      if (!last) return before(null, signal);
      const newer = await after(numberOf(last), signal);
      // Older ones may have been read meanwhile.
      const now = known();
      return now ? withNewer(now, newer, numberOf) : before(null, signal);
    },
  });
  const running = useRef(false);
  const [loading, setLoading] = useState(false);
  const [problem, setProblem] = useState<unknown>(null);
  const readOlder = useCallback(async () => {
    const first = queries.getQueryData<Recent<Item>>(queryKey)?.items[0];
    if (!first || running.current) return;
    running.current = true;
    setLoading(true);
    setProblem(null);
    try {
      const page = await before(numberOf(first));
      queries.setQueryData<Recent<Item>>(queryKey, (now) => withOlder(now, page, first));
    } catch (reason) {
      setProblem(reason);
    } finally {
      running.current = false;
      setLoading(false);
    }
  }, [queries, queryKey, before, numberOf]);
  return { query, readOlder, loading, problem };
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
