import { type RefObject, useEffect, useLayoutEffect, useRef } from "react";

/** Cards are found in the page, because the focus is there and nowhere else. */
const CARD = "[data-card]";
const HEAD = "[data-card-head]";
const CONTROL = "button:not(:disabled), textarea, input";
const TYPING = "input, textarea, select, [contenteditable]";

function cards(): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>(CARD)];
}

function withFocus(): HTMLElement | undefined {
  return document.activeElement?.closest<HTMLElement>(CARD) ?? undefined;
}

export function holdsFocus(id: string): boolean {
  return withFocus()?.dataset.card === id;
}

function focus(card: HTMLElement): void {
  card.querySelector<HTMLElement>(HEAD)?.focus({ preventScroll: true });
}

function visit(card: HTMLElement): void {
  focus(card);
  card.scrollIntoView({ block: "nearest" });
}

/** Brings the card of a decision into the middle, with the focus. */
export function goToCard(id: string): void {
  const card = cards().find((one) => one.dataset.card === id);
  if (!card) return;
  focus(card);
  card.scrollIntoView({ block: "center" });
}

/** From a card that is done with to the next that is not; without one, to the page. Only keys take the eye along. */
export function focusAway(id: string): void {
  const go = document.activeElement?.matches(":focus-visible") ? visit : focus;
  const all = cards();
  const place = all.findIndex((card) => card.dataset.card === id);
  const ahead = [...all.slice(place + 1), ...all.slice(0, Math.max(place, 0)).reverse()];
  const next = ahead.find((card) => card.dataset.done === undefined);
  if (next) go(next);
  else document.getElementById("content")?.focus({ preventScroll: true });
}

/** Two taps closer than this, in milliseconds and pixels, are a double tap. */
const SECOND_TAP = { within: 500, around: 40 };
let tapped = { x: Number.NaN, y: Number.NaN };
document.addEventListener("pointerdown", ({ clientX, clientY }) => (tapped = { x: clientX, y: clientY }), true);

/** The second of two taps must not decide what has come to lie under the finger. */
export function ignoreSecondTap(): void {
  const { x, y } = tapped;
  const ignore = (event: MouseEvent) => {
    const near = Math.hypot(event.clientX - x, event.clientY - y) < SECOND_TAP.around;
    // Keys press buttons too, and those count nothing.
    if (!near || event.detail === 0) return;
    event.preventDefault();
    event.stopPropagation();
  };
  document.addEventListener("click", ignore, true);
  setTimeout(() => document.removeEventListener("click", ignore, true), SECOND_TAP.within);
}

function move(steps: number): boolean {
  const all = cards();
  const current = withFocus();
  const target = all[current ? all.indexOf(current) + steps : 0];
  if (target) visit(target);
  else if (steps > 0) document.querySelector<HTMLElement>("[data-more]")?.focus();
  return all.length > 0;
}

function reach(control: string): boolean {
  const found = withFocus()?.querySelector<HTMLElement>(control);
  found?.focus();
  return found != null;
}

function choose(number: string): boolean {
  const found = withFocus()?.querySelector<HTMLButtonElement>(`[data-option="${number}"]`);
  found?.click();
  return found != null;
}

function undo(): boolean {
  const all = [...document.querySelectorAll<HTMLElement>("[data-act=undo]")];
  const found = all.find((button) => withFocus()?.contains(button)) ?? all.at(-1);
  found?.click();
  return found !== undefined;
}

/** Moves on by so many cards; says whether there was anything to move to. */
export type Step = (steps: number) => boolean;

const ACTS: Record<string, (step: Step) => boolean> = {
  j: (step) => step(1),
  k: (step) => step(-1),
  a: () => reach("[data-act=approve]"),
  d: () => reach("[data-act=deny]"),
  z: undo,
};

/** Only while a heading has the focus: elsewhere these keys scroll and press. */
const ACTS_ON_HEAD: Record<string, (step: Step) => boolean> = {
  ArrowDown: (step) => step(1),
  ArrowUp: (step) => step(-1),
  Enter: () => reach(CONTROL),
};

export function press(event: KeyboardEvent, step: Step = move): void {
  const target = event.target instanceof Element ? event.target : undefined;
  const elsewhere =
    event.ctrlKey ||
    event.metaKey ||
    event.altKey ||
    document.querySelector("dialog[open], [popover]:popover-open") !== null;
  if (elsewhere || target?.closest(TYPING)) return;
  const act = ACTS[event.key] ?? (target?.matches(HEAD) ? ACTS_ON_HEAD[event.key] : undefined);
  const done = act ? act(step) : /^[1-9]$/.test(event.key) && choose(event.key);
  if (done) event.preventDefault();
}

/** `step` must stay the same function, or the keys are bound anew each time. */
export function useInboxKeys(step: Step = move): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => press(event, step);
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, [step]);
}

/** Scrolls when cards arrive above the one under the pointer, so that no other card moves under it. */
export function useSteadyCards(ids: string[]): RefObject<HTMLUListElement | null> {
  const list = useRef<HTMLUListElement>(null);
  const known = useRef(new Set(ids));
  useLayoutEffect(() => {
    const before = known.current;
    known.current = new Set(ids);
    // Browsers hold a page steady themselves, except at its very top.
    if (window.scrollY > 0 && CSS.supports("overflow-anchor: auto")) return;
    const held = list.current?.querySelector<HTMLElement>(`${CARD}:hover`) ?? withFocus();
    if (!held) return;
    const all = cards();
    const pushed = all
      .slice(0, all.indexOf(held))
      .filter((card) => !before.has(card.dataset.card ?? ""))
      .reduce((sum, card) => sum + card.offsetHeight + gapOf(list.current), 0);
    if (pushed > 0) window.scrollBy(0, pushed);
  }, [ids]);
  return list;
}

function gapOf(list: HTMLElement | null): number {
  return list ? Number.parseFloat(getComputedStyle(list).rowGap) || 0 : 0;
}
