import { type CSSProperties, type RefObject, useLayoutEffect, useRef, useState } from "react";
import { useNarrow } from "@/pages/table/narrow";

/** How far below the top of the page a box begins; what stands above it comes and goes. */
export function useTop(box: { current: HTMLElement | null }): number {
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const measure = () => {
      if (box.current) setTop(Math.round(box.current.getBoundingClientRect().top + window.scrollY));
    };
    measure();
    const watcher = new ResizeObserver(measure);
    watcher.observe(document.body);
    return () => watcher.disconnect();
  }, [box]);
  return top;
}

/** Makes a box as tall as what is left of the window below its top. On a phone it fills the window once it is reached. */
export function useRest<Box extends HTMLElement>(): { ref: RefObject<Box | null>; style: CSSProperties } {
  const ref = useRef<Box>(null);
  const top = useTop(ref);
  const above = useNarrow() ? "var(--bar) - 4.5rem" : `${top}px - 1.5rem`;
  return { ref, style: { height: `max(26rem, calc(100dvh - ${above}))` } };
}
