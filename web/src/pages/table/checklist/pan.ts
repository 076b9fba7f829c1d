import { type RefObject, useEffect } from "react";
import type { Zoom } from "@/pages/table/checklist/zoom";

const WHEEL = 0.0015;

/** The mouse drags the drawing, Ctrl and the wheel zoom at the pointer, and so do the keys + - and 0. */
export function usePan(element: RefObject<HTMLElement | null>, zoom: Zoom): void {
  const { scale, zoomTo, more, less, fit } = zoom;
  useEffect(() => {
    const box = element.current;
    if (!box) return;
    const onWheel = (event: WheelEvent) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const frame = box.getBoundingClientRect();
      zoomTo(scale * Math.exp(-event.deltaY * WHEEL), { x: event.clientX - frame.left, y: event.clientY - frame.top });
    };
    const keys: Record<string, () => void> = { "+": more, "=": more, "-": less, "0": fit };
    const onKeyDown = (event: KeyboardEvent) => {
      const act = event.ctrlKey || event.metaKey || event.altKey ? undefined : keys[event.key];
      if (!act) return;
      event.preventDefault();
      act();
    };
    box.addEventListener("wheel", onWheel, { passive: false });
    box.addEventListener("keydown", onKeyDown);
    return () => {
      box.removeEventListener("wheel", onWheel);
      box.removeEventListener("keydown", onKeyDown);
    };
  }, [element, scale, zoomTo, more, less, fit]);
  useEffect(() => (element.current ? dragging(element.current) : undefined), [element]);
}

/** Fingers scroll by themselves. */
function dragging(box: HTMLElement): () => void {
  const onDown = (event: PointerEvent) => {
    const free = event.target instanceof Element && event.target.closest("button") === null;
    if (event.pointerType !== "mouse" || event.button !== 0 || !free) return;
    box.setPointerCapture(event.pointerId);
    box.setAttribute("data-dragged", "");
  };
  const onMove = (event: PointerEvent) => {
    if (!box.hasPointerCapture(event.pointerId)) return;
    box.scrollBy(-event.movementX, -event.movementY);
  };
  const onUp = () => box.removeAttribute("data-dragged");
  box.addEventListener("pointerdown", onDown);
  box.addEventListener("pointermove", onMove);
  box.addEventListener("lostpointercapture", onUp);
  return () => {
    box.removeEventListener("pointerdown", onDown);
    box.removeEventListener("pointermove", onMove);
    box.removeEventListener("lostpointercapture", onUp);
  };
}
