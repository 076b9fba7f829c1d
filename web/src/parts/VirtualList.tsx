import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useEffect, useRef } from "react";

/** Shows only what is in sight of a list of any length. Heights are measured as items come into sight. */
export function VirtualList<Item>({
  items,
  label,
  idOf,
  children,
  estimate = 96,
  gap = 8,
  className = "",
  sticksToEnd = false,
  reveal,
}: {
  items: Item[];
  label: string;
  idOf: (item: Item) => string | number;
  children: (item: Item, index: number) => ReactNode;
  estimate?: number;
  gap?: number;
  className?: string;
  /** Begins at the end and follows it, unless somebody scrolled away from it. */
  sticksToEnd?: boolean;
  /** Scrolls to this index when it changes. */
  reveal?: number | undefined;
}) {
  const box = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  const list = useVirtualizer({
    count: items.length,
    getScrollElement: () => box.current,
    estimateSize: () => estimate,
    getItemKey: (index) => idOf(items[index] as Item),
    gap,
    overscan: 6,
  });

  // biome-ignore lint/correctness/useExhaustiveDependencies: follows the number of items, whatever they are
  useEffect(() => {
    if (sticksToEnd && atEnd.current && items.length > 0) list.scrollToIndex(items.length - 1, { align: "end" });
  }, [items.length, sticksToEnd]);
  useEffect(() => {
    if (reveal !== undefined && reveal >= 0) list.scrollToIndex(reveal, { align: "center" });
  }, [reveal, list]);

  const scrolled = () => {
    const element = box.current;
    if (element) atEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < 80;
  };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section ref={box} className={`virtual ${className}`} tabIndex={0} aria-label={label} onScroll={scrolled}>
      {/* biome-ignore lint/a11y/useSemanticElements: a ul would lay out its items itself */}
      <div role="list" style={{ height: list.getTotalSize(), position: "relative" }}>
        {list.getVirtualItems().map((row) => (
          // biome-ignore lint/a11y/useSemanticElements: see above
          <div
            key={row.key}
            role="listitem"
            aria-setsize={items.length}
            aria-posinset={row.index + 1}
            data-index={row.index}
            ref={list.measureElement}
            style={{ position: "absolute", top: 0, left: 0, right: 0, transform: `translateY(${row.start}px)` }}
          >
            {children(items[row.index] as Item, row.index)}
          </div>
        ))}
      </div>
    </section>
  );
}
