import { type CSSProperties, type RefObject, useLayoutEffect, useRef, useState } from "react";

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

/** Makes a box as tall as what is left of the window below its top, but not lower than `least`. */
export function useRest<Box extends HTMLElement>(least: string): { ref: RefObject<Box | null>; style: CSSProperties } {
  const ref = useRef<Box>(null);
  const top = useTop(ref);
  return {
    ref,
    style: { height: `max(${least}, calc(100dvh - ${top}px - var(--bar, 0px) - var(--below, var(--s6))))` },
  };
}
