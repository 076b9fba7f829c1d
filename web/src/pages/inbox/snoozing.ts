import { useMemo, useSyncExternalStore } from "react";
import { useMe } from "@/api/me";
import { LONGEST_TIMER } from "@/parts/timers";

/** What somebody wants to see later. Each person's is kept by their browser, for all its tabs: `id` to the moment it is back. */
type Snoozed = Record<string, number>;

const PREFIX = "longtable-snoozed:";
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** What runs out is back so long before, whatever was chosen. */
const IN_TIME = 5 * MINUTE;
const MORNING = 9;

export interface SnoozeChoice {
  title: string;
  until: number;
}

/** For how long an item can be put off. One that ends is never put off until it is too late. */
export function snoozeChoices(now: number, ends: string | undefined): SnoozeChoice[] {
  const last = ends ? Date.parse(ends) - IN_TIME : Number.POSITIVE_INFINITY;
  const choices = [
    { title: "Snooze for 15 minutes", until: now + 15 * MINUTE },
    { title: "Snooze for an hour", until: now + HOUR },
    { title: "Snooze until tomorrow morning", until: tomorrow(now) },
  ];
  return choices.filter(({ until }) => until <= last);
}

function tomorrow(now: number): number {
  const day = new Date(now);
  day.setDate(day.getDate() + 1);
  return day.setHours(MORNING, 0, 0, 0);
}

const watchers = new Set<() => void>();
let timer: ReturnType<typeof setTimeout> | undefined;

function tellAll(): void {
  for (const tell of watchers) tell();
}

function watch(watcher: () => void): () => void {
  watchers.add(watcher);
  addEventListener("storage", watcher);
  return () => {
    watchers.delete(watcher);
    removeEventListener("storage", watcher);
  };
}

/** It comes back by itself, when its time has come. */
function tellAtNextEnd(snoozed: Snoozed): void {
  clearTimeout(timer);
  const next = Math.min(...Object.values(snoozed));
  if (next < Number.POSITIVE_INFINITY) timer = setTimeout(tellAll, Math.min(next - Date.now() + 50, LONGEST_TIMER));
}

function read(key: string): Snoozed {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(key) ?? "{}");
    const entries = Object.entries(kept as Snoozed).filter(([, until]) => typeof until === "number");
    return Object.fromEntries(entries.filter(([, until]) => until > Date.now()));
  } catch {
    return {};
  }
}

function write(key: string, snoozed: Snoozed): void {
  try {
    localStorage.setItem(key, JSON.stringify(snoozed));
  } catch {
    // The browser keeps nothing: then nothing can be put off.
  }
  tellAll();
}

function useKey(): string {
  const me = useMe().data;
  return PREFIX + JSON.stringify([me?.tenant, me?.agent]);
}

/** What is put off now, with the moment at which it is back. */
export function useSnoozed(): ReadonlyMap<string, number> {
  const key = useKey();
  const text = useSyncExternalStore(watch, () => JSON.stringify(read(key)));
  return useMemo(() => {
    const snoozed: Snoozed = JSON.parse(text);
    tellAtNextEnd(snoozed);
    return new Map(Object.entries(snoozed));
  }, [text]);
}

export function useSnoozing() {
  const key = useKey();
  return {
    snooze: (id: string, until: number) => write(key, { ...read(key), [id]: until }),
    wake: (id: string) => {
      const { [id]: _, ...others } = read(key);
      write(key, others);
    },
  };
}
