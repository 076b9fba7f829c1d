import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { BOX, type Box, type Drawing } from "@/pages/table/checklist/layout";

const SMALLEST = 0.01;
const LARGEST = 2;
const STEP = 1.25;
/** Below this nobody reads the words; a drawing that is larger begins cut off, around what is being worked on. */
const READABLE = { wide: 0.7, narrow: 0.9 };
const NARROW = 600;
/** Below this the boxes are drawn without words. */
export const WORDLESS = 0.42;
/** So many boxes shall be in sight at the beginning, even if they are a little smaller for it. */
const ENOUGH = 5;

interface Size {
  width: number;
  height: number;
}

interface Position {
  left: number;
  top: number;
}

interface Opening extends Position {
  scale: number;
}

/** The scale at which all of it is seen, never larger than life. */
export function fitting(content: Size, room: Size): number {
  if (content.width <= 0 || content.height <= 0 || room.width <= 0) return 1;
  const across = room.width / content.width;
  const down = room.height > 0 ? room.height / content.height : across;
  return bounded(Math.min(1, across, down));
}

export function bounded(scale: number): number {
  return Math.min(LARGEST, Math.max(SMALLEST, scale));
}

/** What is seen first: all of it if that can be read, else the surroundings of one box at a size that can. */
export function opening(drawing: Drawing, focus: string | undefined, room: Size): Opening {
  const least = room.width < NARROW ? READABLE.narrow : READABLE.wide;
  const fit = fitting(drawing, room);
  if (fit >= least) return { scale: fit, left: 0, top: 0 };
  const box = drawing.boxes.find((one) => one.id === focus) ?? drawing.boxes[0];
  const enough = Math.min(ENOUGH, drawing.boxes.length);
  let scale = least;
  let place = around(box, drawing, room, scale);
  while (scale / 1.1 > WORDLESS && inSight(drawing.boxes, place, room, scale) < enough) {
    scale /= 1.1;
    place = around(box, drawing, room, scale);
  }
  return { scale, ...place };
}

function around(box: Box | undefined, drawing: Size, room: Size, scale: number): Position {
  const x = ((box?.left ?? 0) + BOX.width / 2) * scale - room.width / 2;
  const y = ((box?.top ?? 0) + BOX.height / 2) * scale - room.height / 2;
  return { left: within(x, drawing.width * scale - room.width), top: within(y, drawing.height * scale - room.height) };
}

function within(value: number, most: number): number {
  return Math.max(0, Math.min(value, most));
}

function inSight(boxes: Box[], { left, top }: Position, room: Size, scale: number): number {
  return boxes.filter(
    (box) =>
      box.left * scale >= left &&
      box.top * scale >= top &&
      (box.left + BOX.width) * scale <= left + room.width &&
      (box.top + BOX.height) * scale <= top + room.height,
  ).length;
}

export type Zoom = ReturnType<typeof useZoom>;

/** Begins at `focus` and stays there until somebody zooms; what is in the middle stays in the middle. */
export function useZoom(element: RefObject<HTMLElement | null>, drawing: Drawing, focus: string | undefined) {
  const [chosen, setChosen] = useState<number | "fit">();
  const room = useRoom(element);
  const goal = useRef<Position | null>(null);
  const fit = fitting(drawing, room);
  const scale = typeof chosen === "number" ? chosen : fit;
  useEffect(() => {
    if (chosen !== undefined || room.width === 0 || drawing.boxes.length === 0) return;
    const start = opening(drawing, focus, room);
    goal.current = start;
    setChosen(start.scale === fitting(drawing, room) ? "fit" : start.scale);
  }, [chosen, room, drawing, focus]);
  useLayoutEffect(() => {
    if (!element.current || !goal.current || scale <= 0) return;
    element.current.scrollTo(goal.current);
    goal.current = null;
  }, [element, scale]);
  const zoomTo = useCallback(
    (next: number, at?: { x: number; y: number }) => {
      const box = element.current;
      const to = bounded(next);
      if (box) {
        const x = at?.x ?? box.clientWidth / 2;
        const y = at?.y ?? box.clientHeight / 2;
        const ratio = to / scale;
        goal.current = { left: (box.scrollLeft + x) * ratio - x, top: (box.scrollTop + y) * ratio - y };
      }
      setChosen(to);
    },
    [element, scale],
  );
  return {
    scale,
    room,
    fits: scale === fit,
    zoomTo,
    more: () => zoomTo(scale * STEP),
    less: () => zoomTo(Math.max(scale / STEP, Math.min(fit, scale))),
    fit: () => setChosen("fit"),
  };
}

/** The room that there may be, not the height that the content has taken. */
function useRoom(element: RefObject<HTMLElement | null>): Size {
  const [room, setRoom] = useState<Size>({ width: 0, height: 0 });
  useEffect(() => {
    const box = element.current;
    if (!box) return;
    const watcher = new ResizeObserver(() => {
      const next = { width: box.clientWidth, height: Number.parseFloat(getComputedStyle(box).maxHeight) || 0 };
      setRoom((former) => (former.width === next.width && former.height === next.height ? former : next));
    });
    watcher.observe(box);
    return () => watcher.disconnect();
  }, [element]);
  return room;
}
