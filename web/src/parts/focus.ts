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
