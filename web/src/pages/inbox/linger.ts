import { useCallback, useState } from "react";
import { focusAway, holdsFocus, ignoreSecondTap } from "@/pages/inbox/cards";
import { draftFor, type Item } from "@/pages/inbox/data";
import { hasDraft } from "@/parts/drafts";

/** An entry of the list. `gone`: it was settled elsewhere and is still shown, so that nothing vanishes while it is read. */
export interface ShownItem {
  item: Item;
  gone: boolean;
}

/** What became of an item, in words. `late`: it was decided already, by somebody else or by the clock. */
export interface Outcome {
  text: string;
  tone: "good" | "late";
}

const SHOWN_FOR = { good: 6_000, late: 15_000 };

/** The list of now, with those of before that are to be kept where they were. */
export function withKept(before: ShownItem[], items: Item[], keeps: (id: string) => boolean): ShownItem[] {
  const list: ShownItem[] = items.map((item) => ({ item, gone: false }));
  const waiting = new Set(items.map((item) => item.id));
  let after = 0;
  for (const { item } of before) {
    if (waiting.has(item.id)) after = list.findIndex((shown) => shown.item.id === item.id) + 1;
    else if (keeps(item.id)) {
      list.splice(after, 0, { item, gone: true });
      after += 1;
    }
  }
  return list;
}

/** Keeps what was just decided for some seconds, and what somebody is busy with until they let go of it. */
export function useLingering(items: Item[]) {
  const [outcomes, setOutcomes] = useState<ReadonlyMap<string, Outcome>>(new Map());
  const [heard, setHeard] = useState(items);
  const [shown, setShown] = useState<ShownItem[]>(() => withKept([], items, () => false));
  if (heard !== items) {
    setHeard(items);
    setShown(withKept(shown, items, (id) => outcomes.has(id) || holdsFocus(id) || hasDraft(draftFor(id))));
  }

  const drop = useCallback((id: string) => {
    if (holdsFocus(id)) focusAway(id);
    setOutcomes((known) => new Map([...known].filter(([other]) => other !== id)));
    setShown((list) => list.filter((entry) => !entry.gone || entry.item.id !== id));
  }, []);
  const settle = useCallback(
    (id: string, outcome: Outcome) => {
      ignoreSecondTap();
      setOutcomes((known) => new Map(known).set(id, outcome));
      if (holdsFocus(id)) focusAway(id);
      setTimeout(() => drop(id), SHOWN_FOR[outcome.tone]);
    },
    [drop],
  );
  return { shown, outcomes, settle, drop };
}
