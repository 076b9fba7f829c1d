import { useCallback, useEffect, useMemo, useRef } from "react";
import { useLocation, useSearch } from "wouter";
import { useBrowserLocation } from "wouter/use-browser-location";
import { useInboxKeys } from "@/pages/inbox/cards";
import type { Item } from "@/pages/inbox/data";
import { addressOf, filterOf, type InboxFilter, searchOf } from "@/pages/inbox/filters";
import { useMedia } from "@/pages/table/narrow";

/** List and detail lie beside each other from here on. */
const WIDE = "(min-width: 64rem)";

export interface InboxPlace {
  /** As it stands in the address. */
  path: string;
  /** The id of the item that is open. */
  open: string | undefined;
  filter: InboxFilter;
  search: string;
  wide: boolean;
  choose: (filter: InboxFilter) => void;
}

/** The id of the item at a path such as `/inbox/question/SESSION/q1`. */
export function idAt(path: string): string | undefined {
  const [, , kind, ...parts] = path.split("/");
  return kind && parts.length > 0 ? parts.map(decoded).join("/") : undefined;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** What is open and what is filtered stand in the address. */
export function usePlace(): InboxPlace {
  const [path] = useBrowserLocation();
  const [, go] = useLocation();
  const written = useSearch();
  const filter = useMemo(() => filterOf(written), [written]);
  const choose = useCallback((next: InboxFilter) => go(`${path}${searchOf(next)}`, { replace: true }), [go, path]);
  return { path, open: idAt(path), filter, search: searchOf(filter), wide: useMedia(WIDE), choose };
}

/** Where there is room for both, the first of the list is open. It has an address then, and stays when others arrive. */
export function useFirstOpened({ open, wide, search }: InboxPlace, first: Item | undefined): void {
  const [, go] = useLocation();
  const address = first && addressOf(first);
  useEffect(() => {
    if (wide && open === undefined && address) go(`${address}${search}`, { replace: true });
  }, [wide, open, address, search, go]);
}

/** `j` and `k` go from one to the next, with the focus; so does what leads on from one that is decided. */
export function useSteps({ open, search, wide }: InboxPlace, items: Item[]): void {
  const [, go] = useLocation();
  const now = useRef({ open, search, items });
  now.current = { open, search, items };
  const stepped = useRef(false);
  const step = useCallback(
    (steps: number) => {
      const { open, search, items } = now.current;
      const at = items.findIndex(({ id }) => id === open);
      // The first press goes to what is open: until then the focus is elsewhere.
      const inside = document.activeElement?.closest("[data-card]") !== null;
      const target = items[at < 0 ? 0 : inside ? at + steps : at];
      if (!target) return items.length > 0;
      stepped.current = true;
      if (target.id === open) focusHead();
      else go(`${addressOf(target)}${search}`);
      return true;
    },
    [go],
  );
  useInboxKeys(step);
  const before = useRef(open);
  useEffect(() => {
    if (before.current === open) return;
    // What opens by itself when the page does takes no focus.
    const lost = before.current !== undefined && document.activeElement === document.body;
    before.current = open;
    if (open !== undefined && (stepped.current || lost || !wide)) focusHead();
    if (!wide) window.scrollTo(0, 0);
    stepped.current = false;
  }, [open, wide]);
}

function focusHead(): void {
  document.querySelector<HTMLElement>("[data-card-head]")?.focus({ preventScroll: true });
}
