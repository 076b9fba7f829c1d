import { type RefObject, useEffect, useRef } from "react";

/** A dialog that closes gives the focus back a moment later; the focus can be moved only after that. */
export const AFTER_DIALOG = 50;

/** When an action takes away the very thing that had the focus, the focus goes to what stays: usually a heading. */
export function useFocusAfter<T extends HTMLElement>(
  state: string | number | boolean,
): { stays: RefObject<T | null>; acted: () => void } {
  const stays = useRef<T>(null);
  const due = useRef(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it follows what the action changes
  useEffect(() => {
    if (!due.current) return;
    due.current = false;
    const later = setTimeout(() => stays.current?.focus(), AFTER_DIALOG);
    return () => clearTimeout(later);
  }, [state]);
  return {
    stays,
    acted: () => {
      due.current = true;
    },
  };
}

/** Brings the focus to an element after a dialog has closed or a list was drawn anew, unless somebody has gone on to
 * something else meanwhile. Returns what calls it off. */
export function focusIfLost(id: string): () => void {
  const timer = setTimeout(() => {
    const lost = document.activeElement === document.body || document.activeElement?.id === "content";
    if (lost) document.getElementById(id)?.focus({ preventScroll: true });
  }, AFTER_DIALOG);
  return () => clearTimeout(timer);
}
