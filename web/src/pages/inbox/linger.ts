import { useCallback, useEffect, useRef, useState } from "react";
import { focusAway, holdsFocus, ignoreSecondTap } from "@/pages/inbox/cards";
import { draftFor, type Item } from "@/pages/inbox/data";
import { hasDraft } from "@/parts/drafts";

/** An entry of the list. `gone`: it was settled elsewhere and is still shown, so that nothing vanishes while it is read. */
export interface ShownItem {
  item: Item;
  gone: boolean;
}

/** What the server holds: until then it has told nobody, and it can be undone. */
export interface Hold {
  id: string;
  /** By the clock of this browser. */
  until: number;
  /** What was typed, to be there again when it is undone. */
  typed: string;
}

/** What became of an item, in words. `late`: it was decided already, by somebody else or by the clock. `held`: it can
 * still be undone. */
export type Outcome = { text: string; tone: "good" | "late" } | { text: string; tone: "held"; hold: Hold };

const SHOWN_FOR = { good: 6_000, late: 15_000 };
/** An item that leaves the list so long before its hold ends was decided by somebody else. */
const TOO_EARLY = 1_500;
const FASTER = "Somebody else was faster, or its time ran out: what you said was not taken.";

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

/** Holds of items that are not in the list any more, long before they would have been: nothing will come of them. */
export function overtaken(outcomes: ReadonlyMap<string, Outcome>, items: Item[], now: number): string[] {
  const waiting = new Set(items.map((item) => item.id));
  return [...outcomes].flatMap(([id, outcome]) =>
    outcome.tone === "held" && !waiting.has(id) && now < outcome.hold.until - TOO_EARLY ? [id] : [],
  );
}

/** Keeps what was just decided for some seconds, and what somebody is busy with or looks at until they let go of it. */
export function useLingering(items: Item[], open?: string) {
  const [outcomes, setOutcomes] = useState<ReadonlyMap<string, Outcome>>(new Map());
  const [heard, setHeard] = useState(items);
  const [shown, setShown] = useState<ShownItem[]>(() => withKept([], items, () => false));
  const looked = useRef(open);
  if (heard !== items) {
    setHeard(items);
    const lost = overtaken(outcomes, items, Date.now());
    if (lost.length > 0) {
      setOutcomes(new Map([...outcomes, ...lost.map((id) => [id, { text: FASTER, tone: "late" as const }] as const)]));
    }
    const keeps = (id: string) => id === open || outcomes.has(id) || holdsFocus(id) || hasDraft(draftFor(id));
    setShown(withKept(shown, items, keeps));
  }

  const forget = useCallback((id: string) => {
    setOutcomes((known) => new Map([...known].filter(([other]) => other !== id)));
  }, []);
  const drop = useCallback(
    (id: string) => {
      if (holdsFocus(id)) focusAway(id);
      forget(id);
      setShown((list) => list.filter((entry) => !entry.gone || entry.item.id !== id));
    },
    [forget],
  );
  const settle = useCallback(
    (id: string, outcome: Outcome) => {
      ignoreSecondTap();
      setOutcomes((known) => new Map(known).set(id, outcome));
      const leave = () => looked.current !== id && drop(id);
      if (outcome.tone === "held") {
        const { text, hold } = outcome;
        setTimeout(() => setOutcomes((known) => released(known, id, text)), hold.until - Date.now());
        setTimeout(leave, hold.until - Date.now() + SHOWN_FOR.good);
      } else setTimeout(leave, SHOWN_FOR[outcome.tone]);
    },
    [drop],
  );
  useEffect(() => {
    const before = looked.current;
    looked.current = open;
    // What was kept because somebody looked at it leaves when they look at something else.
    if (before !== undefined && before !== open) setShown((list) => list.filter((one) => !isLeft(one, before)));
  }, [open]);
  return { shown, outcomes, settle, drop, undone: forget };
}

/** What was held is said now, unless it was undone or overtaken meanwhile. */
function released(known: ReadonlyMap<string, Outcome>, id: string, text: string): ReadonlyMap<string, Outcome> {
  return known.get(id)?.tone === "held" ? new Map(known).set(id, { text, tone: "good" }) : known;
}

function isLeft({ gone, item }: ShownItem, before: string): boolean {
  return gone && item.id === before && !hasDraft(draftFor(before));
}
