import { useSyncExternalStore } from "react";

const NARROW = "(max-width: 48rem)";
const SMALL = "(max-width: 48rem), (max-height: 40rem)";

/** Whether the page is as narrow as a phone. */
export function useNarrow(): boolean {
  return useMedia(NARROW);
}

/** Whether it is narrow, or low as in a browser that magnifies it. */
export function useSmall(): boolean {
  return useMedia(SMALL);
}

export function useMedia(media: string): boolean {
  return useSyncExternalStore(
    (onChange) => {
      const query = matchMedia(media);
      query.addEventListener("change", onChange);
      return () => query.removeEventListener("change", onChange);
    },
    () => matchMedia(media).matches,
  );
}
