import { type RefObject, useEffect, useState } from "react";

const SMALLEST = 0.3;
const LARGEST = 2;
const STEP = 1.25;
/** Below this nobody reads the words; a drawing that is larger begins cut off, and is scrolled. */
const READABLE = { wide: 0.7, narrow: 0.9 };
const NARROW = 600;

interface Size {
  width: number;
  height: number;
}

/** The scale at which all of it is seen: never larger than life, never too small to read anything. */
export function fitting(content: Size, room: Size): number {
  if (content.width <= 0 || content.height <= 0 || room.width <= 0) return 1;
  const across = room.width / content.width;
  const down = room.height > 0 ? room.height / content.height : across;
  return bounded(Math.min(1, across, down));
}

export function bounded(scale: number): number {
  return Math.min(LARGEST, Math.max(SMALLEST, scale));
}

/** As much of the content as can be read fits into the element, until somebody wants it otherwise. */
export function useZoom(element: RefObject<HTMLElement | null>, content: Size) {
  const [chosen, setChosen] = useState<number | "fit">();
  const [room, setRoom] = useState<Size>({ width: 0, height: 0 });
  useEffect(() => {
    const box = element.current;
    if (!box) return;
    const watcher = new ResizeObserver(() =>
      // The room that there may be, not the height that the content has taken.
      setRoom({ width: box.clientWidth, height: Number.parseFloat(getComputedStyle(box).maxHeight) || 0 }),
    );
    watcher.observe(box);
    return () => watcher.disconnect();
  }, [element]);
  const fit = fitting(content, room);
  const least = room.width < NARROW ? READABLE.narrow : READABLE.wide;
  const scale = typeof chosen === "number" ? chosen : chosen === "fit" ? fit : Math.max(fit, least);
  return {
    scale,
    fits: scale === fit,
    more: () => setChosen(bounded(scale * STEP)),
    less: () => setChosen(bounded(scale / STEP)),
    fit: () => setChosen("fit"),
  };
}
