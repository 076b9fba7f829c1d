import { useSyncExternalStore } from "react";

const NARROW = "(max-width: 48rem)";

/** Whether the page is as narrow as a phone. */
export function useNarrow(): boolean {
  return useSyncExternalStore(
    (onChange) => {
      const query = matchMedia(NARROW);
      query.addEventListener("change", onChange);
      return () => query.removeEventListener("change", onChange);
    },
    () => matchMedia(NARROW).matches,
  );
}
