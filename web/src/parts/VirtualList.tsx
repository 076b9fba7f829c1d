import { useVirtualizer } from "@tanstack/react-virtual";
import { ArrowDown } from "lucide-react";
import { type ReactNode, useCallback, useEffect, useRef, useState } from "react";
import { Button } from "@/parts/Button";
import { Rows } from "@/parts/Rows";
import { useReveal } from "@/parts/reveal";

const NEAR = 600;
const AT_END = 80;
/** Assumed until the box is measured, so that the first items are rendered together with the list. */
const FIRST_RECT = { width: 320, height: 700 };

interface Props<Item> {
  items: Item[];
  label: string;
  idOf: (item: Item) => string | number;
  children: (item: Item, index: number) => ReactNode;
  estimate?: number;
  /** Starts at the end and follows it, unless the user has scrolled away. */
  followsEnd?: boolean;
  /** Called while the first items come near. */
  nearStart?: () => void;
  /** Called while the last items come near. */
  nearEnd?: (() => void) | undefined;
  /** The id of an item to go to. Once for each. */
  reveal?: string | number | undefined;
}

/** A virtual list in a scroll box of its own. What is being read stays in place when items arrive before it. */
export function VirtualList<Item>({
  items,
  label,
  idOf,
  children,
  estimate = 140,
  followsEnd = false,
  nearStart,
  nearEnd,
  reveal,
}: Props<Item>) {
  const box = useRef<HTMLDivElement>(null);
  const [away, setAway] = useState(false);
  const keyOf = useCallback((index: number) => idOf(items[index] as Item), [items, idOf]);
  const scrolledDown = (box.current?.scrollTop ?? 0) > 4;
  const list = useVirtualizer({
    count: items.length,
    getScrollElement: () => box.current,
    estimateSize: () => estimate,
    getItemKey: keyOf,
    gap: 8,
    overscan: 4,
    initialRect: FIRST_RECT,
    anchorTo: followsEnd || scrolledDown ? "end" : "start",
    followOnAppend: followsEnd && reveal === undefined,
    scrollEndThreshold: AT_END,
  });
  const filled = items.length > 0;
  useEffect(() => {
    if (followsEnd && filled && reveal === undefined) list.scrollToEnd();
  }, [followsEnd, filled, list, reveal]);
  useReveal({ reveal, items, idOf, list, box });

  const scrolled = () => {
    const element = box.current;
    if (!element) return;
    const below = element.scrollHeight - element.scrollTop - element.clientHeight;
    if (element.scrollTop < NEAR) nearStart?.();
    if (below < NEAR) nearEnd?.();
    if (followsEnd) setAway(below > AT_END * 3);
  };
  return (
    <div className="held">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section ref={box} className="virtual" tabIndex={0} aria-label={label} onScroll={scrolled}>
        <Rows list={list} items={items}>
          {children}
        </Rows>
      </section>
      {away && (
        <Button className="button to-end" onClick={() => list.scrollToEnd()}>
          <ArrowDown size={16} aria-hidden="true" /> To the newest
        </Button>
      )}
    </div>
  );
}
