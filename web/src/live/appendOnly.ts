import { type QueryKey, useQuery, useQueryClient } from "@tanstack/react-query";

/** A list to which items are only appended. `next` is the cursor of the part that was not read yet. */
export interface LoadedList<Item, Cursor> {
  items: Item[];
  next: Cursor | null;
  /** How many the server has, as of the last page. */
  total: number;
}

export interface Page<Item, Cursor> {
  items: Item[];
  next: Cursor | null;
  more: boolean;
  total: number;
}

/** Reads an append-only list completely, and after an event only its new items. */
export function useAppendOnlyList<Item extends object, Cursor>(options: {
  queryKey: QueryKey;
  idOf: (item: Item) => string | number;
  read: (after: Cursor | null, signal: AbortSignal) => Promise<Page<Item, Cursor>>;
}) {
  const queries = useQueryClient();
  return useQuery({
    queryKey: options.queryKey,
    structuralSharing: false,
    queryFn: async ({ signal }): Promise<LoadedList<Item, Cursor>> => {
      let list = queries.getQueryData<LoadedList<Item, Cursor>>(options.queryKey) ?? {
        items: [],
        next: null,
        total: 0,
      };
      for (;;) {
        const page = await options.read(list.next, signal);
        list = appendPage(list, page, options.idOf);
        if (!page.more) return list;
        queries.setQueryData(options.queryKey, list);
      }
    },
  });
}

export function appendPage<Item extends object, Cursor>(
  list: LoadedList<Item, Cursor>,
  page: Page<Item, Cursor>,
  idOf: (item: Item) => string | number,
): LoadedList<Item, Cursor> {
  const known = new Map(list.items.map((item) => [idOf(item), item]));
  for (const item of page.items) known.set(idOf(item), item);
  const items = known.size === list.items.length && page.items.length === 0 ? list.items : [...known.values()];
  return { items, next: page.next ?? list.next, total: Math.max(page.total, items.length) };
}
