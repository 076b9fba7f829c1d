import { useSyncExternalStore } from "react";

const NARROW = "(max-width: 48rem)";

/** Whether the page is as narrow as a phone. */
export function useNarrow(): boolean {
  return useSyncExternalStore(
    (told) => {
      const query = matchMedia(NARROW);
      query.addEventListener("change", told);
      return () => query.removeEventListener("change", told);
    },
    () => matchMedia(NARROW).matches,
  );
}
