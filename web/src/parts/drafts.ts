import { useCallback, useMemo, useSyncExternalStore } from "react";

/** What somebody has typed and not sent. It outlives a look at another page and a reload, in this tab. It is kept for the
 * thing that it is written for and for who is signed in: nobody else who signs in here sees it. */
const PREFIX = "longtable-draft:";
let writer = "";
/** What was read or written, so that it is the same value each time, also where the browser has no room for it. */
const known = new Map<string, unknown>();
const listeners = new Set<() => void>();

/** Says who is signed in: what others have typed here is theirs. */
export function rememberWriter(tenant: string, agent: string): void {
  const next = JSON.stringify([tenant, agent]);
  if (next === writer) return;
  writer = next;
  known.clear();
  tellAll();
}

export function draftOf(thing: string): unknown {
  const key = keyOf(thing);
  if (!known.has(key)) known.set(key, stored(key));
  return known.get(key);
}

export function hasDraft(thing: string): boolean {
  return draftOf(thing) !== undefined;
}

export function keepDraft(thing: string, draft: unknown): void {
  const key = keyOf(thing);
  known.set(key, draft);
  try {
    sessionStorage.setItem(key, JSON.stringify(draft));
  } catch {
    // The browser has no room for it: it is still in the page.
  }
  tellAll();
}

export function forgetDraft(thing: string): void {
  const key = keyOf(thing);
  known.set(key, undefined);
  sessionStorage.removeItem(key);
  tellAll();
}

type UsedDraft<Draft> = [draft: Draft, write: (next: Draft) => void, forget: () => void];

/** A text or the fields of a form, begun with `empty`; a way to change it; and a way to forget it, when it is sent. */
export function useDraft(thing: string, empty: string): UsedDraft<string>;
export function useDraft<Draft extends object>(thing: string, empty: Draft): UsedDraft<Draft>;
export function useDraft<Draft extends string | object>(thing: string, empty: Draft): UsedDraft<Draft> {
  const kept = useSyncExternalStore(listen, () => draftOf(thing));
  const unchanged = JSON.stringify(empty);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `empty` may be another object each time and say the same
  const draft = useMemo(() => filledIn(kept, empty), [kept, unchanged]);
  const write = useCallback(
    (next: Draft) => (JSON.stringify(next) === unchanged ? forgetDraft(thing) : keepDraft(thing, next)),
    [thing, unchanged],
  );
  const forget = useCallback(() => forgetDraft(thing), [thing]);
  return [draft, write, forget];
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function tellAll(): void {
  for (const listener of listeners) listener();
}

function keyOf(thing: string): string {
  return `${PREFIX}${writer}:${thing}`;
}

function stored(key: string): unknown {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? "null") ?? undefined;
  } catch {
    return undefined;
  }
}

/** What was kept, if it has the shape of what is wanted now: an older page may have kept something else. */
function filledIn<Draft extends string | object>(kept: unknown, empty: Draft): Draft {
  if (typeof empty === "string") return typeof kept === "string" ? (kept as Draft) : empty;
  if (typeof kept !== "object" || kept === null) return empty;
  const fields = kept as Record<string, unknown>;
  const fits = Object.entries(empty).every(([name, value]) => isLike(fields[name], value));
  return fits ? ({ ...(empty as object), ...fields } as Draft) : empty;
}

function isLike(kept: unknown, value: unknown): boolean {
  return typeof kept === typeof value && Array.isArray(kept) === Array.isArray(value);
}
