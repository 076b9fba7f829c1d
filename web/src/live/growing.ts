import { type QueryKey, useQuery, useQueryClient } from "@tanstack/react-query";

/** A list that only grows at its end. `next` says where the unread part begins. */
export interface Grown<Item, Mark> {
  items: Item[];
  next: Mark | null;
  /** How many there are on the server, as far as it said so. */
  total: number;
}

export interface Page<Item, Mark> {
  items: Item[];
  next: Mark | null;
  more: boolean;
  total: number;
}

/** Reads a growing list whole, and after an event only its new end: ten thousand items are not read twice. */
export function useGrowing<Item extends object, Mark>(options: {
  queryKey: QueryKey;
  idOf: (item: Item) => string | number;
  read: (after: Mark | null, signal: AbortSignal) => Promise<Page<Item, Mark>>;
}) {
  const queries = useQueryClient();
  return useQuery({
    queryKey: options.queryKey,
    structuralSharing: false,
    queryFn: async ({ signal }): Promise<Grown<Item, Mark>> => {
      let grown = queries.getQueryData<Grown<Item, Mark>>(options.queryKey) ?? { items: [], next: null, total: 0 };
      for (;;) {
        const page = await options.read(grown.next, signal);
        grown = joined(grown, page, options.idOf);
        if (!page.more) return grown;
        queries.setQueryData(options.queryKey, grown);
      }
    },
  });
}

export function joined<Item extends object, Mark>(
  grown: Grown<Item, Mark>,
  page: Page<Item, Mark>,
  idOf: (item: Item) => string | number,
): Grown<Item, Mark> {
  const known = new Map(grown.items.map((item) => [idOf(item), item]));
  for (const item of page.items) known.set(idOf(item), item);
  const items = known.size === grown.items.length && page.items.length === 0 ? grown.items : [...known.values()];
  return { items, next: page.next ?? grown.next, total: Math.max(page.total, items.length) };
}
