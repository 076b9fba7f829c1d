import { type RefObject, useCallback, useEffect, useRef, useState } from "react";
import { ignoreSecondTap } from "@/pages/inbox/cards";
import { useNarrow } from "@/pages/table/narrow";

/** Stands at the end of what must have been in view: the first line of each argument, and the end of them all. */
export const TO_READ = "[data-read]";
const BAR = "[data-bar]";

export interface ReadingState {
  box: RefObject<HTMLDivElement | null>;
  /** Whether something that one decides by has not been in view yet. Never on a wide screen, where all of it is. */
  unread: boolean;
  /** Goes to the next of it, with the focus: by pressing a button also those get there who do not scroll. */
  readOn: () => void;
}

/** On a small screen nobody decides what they have not seen. `thing` is what is decided: another one begins anew. */
export function useReading(thing: string): ReadingState {
  const narrow = useNarrow();
  const box = useRef<HTMLDivElement>(null);
  const left = useRef(new Set<Element>());
  const [unread, setUnread] = useState(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another thing is other marks
  useEffect(() => {
    if (!narrow || !box.current) return;
    const marks = new Set(box.current.querySelectorAll(TO_READ));
    left.current = marks;
    setUnread(marks.size > 0);
    const see = (seen: Element) => {
      marks.delete(seen);
      observer.unobserve(seen);
      if (marks.size === 0) setUnread(false);
    };
    const observer = new IntersectionObserver(
      (entries) => {
        for (const { target, intersectionRatio } of entries) if (intersectionRatio >= SEEN) see(target);
      },
      // What lies under the bar with the buttons is not in view.
      { threshold: SEEN, rootMargin: `0px 0px -${coveredBy(box.current)}px 0px` },
    );
    for (const mark of marks) observer.observe(mark);
    return () => observer.disconnect();
  }, [narrow, thing]);
  const readOn = useCallback(() => {
    const next = [...left.current][0];
    ignoreSecondTap();
    next?.scrollIntoView({ block: "center", behavior: "instant" });
    next?.closest<HTMLElement>("[tabindex]")?.focus({ preventScroll: true });
  }, []);
  return { box, unread: narrow && unread, readOn };
}

const SEEN = 0.9;

function coveredBy(box: HTMLElement): number {
  const bar = box.closest("[data-card]")?.querySelector<HTMLElement>(BAR);
  const below = Number.parseFloat(getComputedStyle(document.documentElement).getPropertyValue("--bar")) || 0;
  const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16;
  return Math.ceil((bar?.offsetHeight ?? 0) + below * rem);
}
