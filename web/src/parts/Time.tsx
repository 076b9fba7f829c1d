import { useSyncExternalStore } from "react";

const MINUTE = 60_000;
const TICK = 10_000;
/** What has just happened may seem to come: this clock ticks slowly, and the server's may be ahead. */
const SLACK = TICK + 5_000;
const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 365 * 24 * 60 * MINUTE],
  ["month", 30 * 24 * 60 * MINUTE],
  ["day", 24 * 60 * MINUTE],
  ["hour", 60 * MINUTE],
  ["minute", MINUTE],
];
const words = new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "short" });
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

let now = Date.now();
const watchers = new Set<() => void>();
let ticking: ReturnType<typeof setInterval> | undefined;

function watch(watcher: () => void): () => void {
  watchers.add(watcher);
  if (ticking === undefined) {
    now = Date.now();
    ticking = setInterval(() => {
      now = Date.now();
      for (const tell of watchers) tell();
    }, TICK);
  }
  return () => {
    watchers.delete(watcher);
    if (watchers.size === 0) {
      clearInterval(ticking);
      ticking = undefined;
    }
  };
}

/** The present, to the ten seconds: everything that shows a distance in time moves together. */
export function useNow(): number {
  return useSyncExternalStore(watch, () => now);
}

export function distance(from: number, to: number): string {
  const gap = from - to;
  if (Math.abs(gap) < MINUTE) return gap > SLACK ? "in under a minute" : "just now";
  return gap > 0 ? left(gap) : (inWords(gap, () => 1, Math.trunc) ?? "just now");
}

/** What is left is rounded, in the smaller unit until the larger rounds to two: 24 hours say more than tomorrow. */
function left(gap: number): string {
  const least = (unit: Intl.RelativeTimeFormatUnit) => (unit === "day" ? 1.5 : 2);
  return inWords(gap + SLACK, least, Math.round) ?? words.format(Math.round(gap / MINUTE), "minute");
}

function inWords(
  gap: number,
  least: (unit: Intl.RelativeTimeFormatUnit) => number,
  rounded: (count: number) => number,
): string | undefined {
  const unit = UNITS.find(([name, length]) => Math.abs(gap) >= least(name) * length);
  return unit && words.format(rounded(gap / unit[1]), unit[0]);
}

export function Time({ at }: { at: string | null | undefined }) {
  const present = useNow();
  const moment = at ? Date.parse(at) : Number.NaN;
  if (Number.isNaN(moment)) return <span className="soft">never</span>;
  return (
    <time dateTime={at ?? undefined} title={exact.format(moment)}>
      {distance(moment, Math.max(present, now))}
    </time>
  );
}
