import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useCallback, useEffect, useRef } from "react";
import { Rows } from "@/parts/Rows";
import { useReveal } from "@/parts/reveal";
import { useTop } from "@/parts/top";

const NEAR = 8;

/** A virtual list that scrolls with the page: no box in a box, which is a trap on a phone. */
export function PageList<Item>({
  items,
  label,
  idOf,
  children,
  estimate = 140,
  gap = 8,
  reveal = null,
  nearEnd,
}: {
  items: Item[];
  label: string;
  idOf: (item: Item) => string | number;
  children: (item: Item, index: number) => ReactNode;
  estimate?: number;
  gap?: number;
  /** The id of an item to go to, with the focus too. Once for each. */
  reveal?: string | number | null | undefined;
  /** Called while the last items come near. */
  nearEnd?: (() => void) | undefined;
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
  useReveal({ reveal, items, idOf, list, box });
  const last = list.getVirtualItems().at(-1)?.index ?? 0;
  const near = items.length > 0 && last >= items.length - NEAR;
  useEffect(() => {
    if (near) nearEnd?.();
  }, [near, nearEnd]);
  return (
    <Rows list={list} items={items} top={top} label={label} box={box}>
      {children}
    </Rows>
  );
}
