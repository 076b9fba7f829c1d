import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";

/** Content this close to the viewport is rendered; content farther away is removed. */
const NEAR = "1200px 0px";
/** How far down the window people read, as a part of its height. */
const READING = 0.15;

/** Whether the element is near the viewport. `leaving` is called just before it leaves. */
export function useNear(element: RefObject<HTMLElement | null>, leaving?: () => void): boolean {
  const [near, setNear] = useState(false);
  const onLeave = useRef(leaving);
  onLeave.current = leaving;
  useEffect(() => {
    if (!element.current) return;
    const watcher = new IntersectionObserver(
      (entries) => {
        const isNear = entries.at(-1)?.isIntersecting ?? false;
        if (!isNear) onLeave.current?.();
        setNear(isNear);
      },
      { rootMargin: NEAR },
    );
    watcher.observe(element.current);
    return () => watcher.disconnect();
  }, [element]);
  return near;
}

/** The last section that has begun above the line, or the first: they stand in order, so a few looks are enough. */
export function currentOf(ids: string[], topOf: (id: string) => number, line: number): string | undefined {
  let low = 0;
  let high = ids.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (topOf(ids[middle] as string) <= line) low = middle + 1;
    else high = middle;
  }
  return ids[Math.max(0, low - 1)];
}

/** The id of the section that is being read. */
export function useCurrent(ids: string[], elementOf: (id: string) => HTMLElement | null): string | undefined {
  const [current, setCurrent] = useState<string>();
  const order = ids.join(" ");
  // biome-ignore lint/correctness/useExhaustiveDependencies: the list is new each time, its order rarely
  useEffect(() => {
    let due: number | undefined;
    const topOf = (id: string) => elementOf(id)?.getBoundingClientRect().top ?? 0;
    const look = () => {
      due ??= requestAnimationFrame(() => {
        due = undefined;
        setCurrent(currentOf(ids, topOf, innerHeight * READING));
      });
    };
    const grown = new ResizeObserver(look);
    grown.observe(document.body);
    addEventListener("scroll", look, { passive: true });
    return () => {
      grown.disconnect();
      removeEventListener("scroll", look);
      if (due !== undefined) cancelAnimationFrame(due);
    };
  }, [order]);
  return current !== undefined && ids.includes(current) ? current : ids[0];
}

interface LineHeight {
  text: string;
  top: number;
}

/** Keeps the lines that a person reads where they are, while the text around them is replaced. `version` says when it is. */
export function useScrollAnchor(element: RefObject<HTMLElement | null>, version: number): () => void {
  const held = useRef<LineHeight[]>([]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when another version is shown
  useLayoutEffect(() => {
    const lines = held.current;
    held.current = [];
    if (lines.length === 0) return;
    restore(element.current, lines);
    // Once more: the browser may have moved the page by its own reckoning.
    const again = requestAnimationFrame(() => restore(element.current, lines));
    return () => cancelAnimationFrame(again);
  }, [version]);
  return () => {
    held.current = blocksOf(element.current)
      .map((block) => ({ text: block.textContent ?? "", box: block.getBoundingClientRect() }))
      .filter(({ box }) => box.bottom > 0 && box.top < innerHeight)
      .map(({ text, box }) => ({ text, top: box.top }));
  };
}

function blocksOf(element: HTMLElement | null): Element[] {
  return [...(element?.querySelectorAll(".markdown > *") ?? [])];
}

function restore(element: HTMLElement | null, lines: LineHeight[]): void {
  const blocks = blocksOf(element);
  for (const line of lines) {
    const same = blocks.find((block) => block.textContent === line.text);
    if (!same) continue;
    const moved = same.getBoundingClientRect().top - line.top;
    if (Math.abs(moved) >= 1) scrollBy({ top: moved, behavior: "instant" });
    return;
  }
}
