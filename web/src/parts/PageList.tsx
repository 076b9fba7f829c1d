import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useCallback, useEffect, useRef } from "react";
import { Rows } from "@/parts/Rows";
import { useTop } from "@/parts/top";

/** A virtual list that scrolls with the page: no box in a box, which is a trap on a phone. */
export function PageList<Item>({
  items,
  label,
  idOf,
  children,
  estimate = 140,
  gap = 8,
  reveal = null,
}: {
  items: Item[];
  label: string;
  idOf: (item: Item) => string | number;
  children: (item: Item, index: number) => ReactNode;
  estimate?: number;
  gap?: number;
  /** The id of an item to go to, with the focus too. Once for each. */
  reveal?: string | number | null;
}) {
  const box = useRef<HTMLDivElement>(null);
  const top = useTop(box);
  const keyOf = useCallback((index: number) => idOf(items[index] as Item), [items, idOf]);
  const list = useWindowVirtualizer({
    count: items.length,
    estimateSize: () => estimate,
    getItemKey: keyOf,
    gap,
    overscan: 4,
    scrollMargin: top,
    // A reader further down keeps their place when new items arrive at the top.
    anchorTo: top > 0 && window.scrollY > top ? "end" : "start",
  });
  const revealed = useRef<string | number | null>(null);
  useEffect(() => {
    if (reveal === revealed.current) return;
    const index = reveal === null ? -1 : items.findIndex((item) => idOf(item) === reveal);
    if (reveal !== null && index < 0) return;
    revealed.current = reveal;
    if (index < 0) return;
    list.scrollToIndex(index, { align: "center" });
    focusWhenThere(() => box.current?.querySelector<HTMLElement>(`[data-index="${index}"] > [tabindex]`));
  }, [reveal, items, idOf, list]);
  return (
    <Rows list={list} items={items} top={top} label={label} box={box}>
      {children}
    </Rows>
  );
}

/** The row is rendered some frames after the list has scrolled to it. */
function focusWhenThere(find: () => HTMLElement | null | undefined, frames = 30): void {
  const found = find();
  if (found) found.focus({ preventScroll: true });
  else if (frames > 0) requestAnimationFrame(() => focusWhenThere(find, frames - 1));
}
