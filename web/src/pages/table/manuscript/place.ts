/** Where a section stands in the page. */
export function elementOf(sectionId: string): HTMLElement | null {
  return document.getElementById(`section-${sectionId}`);
}

/** How long the sections around a place take to be read and shown, at most. */
const SETTLED = 3_000;
const MOVES = ["wheel", "touchmove", "keydown", "pointerdown"] as const;

/** Brings a section into sight and goes on reading there, with the keyboard too. */
export function goTo(sectionId: string): void {
  const element = elementOf(sectionId);
  if (!element) return;
  document.getElementById(`title-${sectionId}`)?.focus({ preventScroll: true });
  stay(element);
}

let leave = () => {};

/** Texts above the place come in after the jump and push it away; it is held until they are there or somebody moves. */
function stay(element: HTMLElement): void {
  leave();
  const show = () => element.scrollIntoView({ block: "start", behavior: "instant" });
  const watcher = new ResizeObserver(show);
  const timer = setTimeout(() => leave(), SETTLED);
  leave = () => {
    watcher.disconnect();
    clearTimeout(timer);
    for (const move of MOVES) removeEventListener(move, leave);
  };
  show();
  watcher.observe(document.body);
  for (const move of MOVES) addEventListener(move, leave, { passive: true });
}
