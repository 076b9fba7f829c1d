import { type RefObject, useEffect, useRef } from "react";

interface Revealing<Item> {
  reveal: string | number | null | undefined;
  items: Item[];
  idOf: (item: Item) => string | number;
  list: { scrollToIndex: (index: number, options: { align: "center" }) => void };
  box: RefObject<HTMLElement | null>;
}

/** Brings an item into the middle, with the focus. Once for each: what somebody scrolls to afterwards stays. */
export function useReveal<Item>({ reveal, items, idOf, list, box }: Revealing<Item>): void {
  const revealed = useRef<string | number | null>(null);
  useEffect(() => {
    const target = reveal ?? null;
    if (target === revealed.current) return;
    const index = target === null ? -1 : items.findIndex((item) => idOf(item) === target);
    if (target !== null && index < 0) return;
    revealed.current = target;
    if (index < 0) return;
    list.scrollToIndex(index, { align: "center" });
    focusWhenThere(() => box.current?.querySelector<HTMLElement>(`[data-index="${index}"] > [tabindex]`));
  }, [reveal, items, idOf, list, box]);
}

/** The row is rendered some frames after the list has scrolled to it. */
function focusWhenThere(find: () => HTMLElement | null | undefined, frames = 30): void {
  const found = find();
  if (found) found.focus({ preventScroll: true });
  else if (frames > 0) requestAnimationFrame(() => focusWhenThere(find, frames - 1));
}
