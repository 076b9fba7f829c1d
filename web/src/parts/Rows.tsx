import type { VirtualItem } from "@tanstack/react-virtual";
import type { ReactNode, RefObject } from "react";

interface Props<Item> {
  list: {
    getTotalSize: () => number;
    getVirtualItems: () => VirtualItem[];
    measureElement: (row: Element | null) => void;
  };
  items: Item[];
  children: (item: Item, index: number) => ReactNode;
  /** How far down the page the list begins, where the page is what scrolls. */
  top?: number;
  label?: string;
  box?: RefObject<HTMLDivElement | null>;
}

/** The rows of a virtual list that are in sight, each in its place. */
export function Rows<Item>({ list, items, children, top = 0, label, box }: Props<Item>) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a ul would lay out its items itself
    <div ref={box} role="list" aria-label={label} className="rows" style={{ height: list.getTotalSize() }}>
      {list.getVirtualItems().map((row) => (
        // biome-ignore lint/a11y/useSemanticElements: see above
        <div
          key={row.key}
          role="listitem"
          aria-setsize={items.length}
          aria-posinset={row.index + 1}
          data-index={row.index}
          ref={list.measureElement}
          style={{ transform: `translateY(${row.start - top}px)` }}
        >
          {children(items[row.index] as Item, row.index)}
        </div>
      ))}
    </div>
  );
}
