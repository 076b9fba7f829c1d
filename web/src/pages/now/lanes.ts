import type { Span } from "@/pages/now/data";

/** So much time is shown, the present at the right. */
export const SHOWN = 6 * 3_600_000;
/** What took less is drawn as wide as this share of the lane, so that it can be seen. */
const LEAST = 0.004;

interface Bar {
  key: string;
  kind: Span["kind"];
  label: string;
  /** Shares of the lane. */
  left: number;
  width: number;
  running: boolean;
}

export interface AgentLane {
  agent: string;
  session: string;
  bars: Bar[];
}

/** One lane for each agent of a session, those with the newest work first. */
export function lanesOf(spans: Span[], now: number): AgentLane[] {
  const lanes = new Map<string, AgentLane>();
  const begin = now - SHOWN;
  for (const [index, span] of spans.entries()) {
    const from = Math.max(Date.parse(span.from), begin);
    const to = Math.min(span.to ? Date.parse(span.to) : now, now);
    if (to < begin) continue;
    const id = `${span.session_id}\u0000${span.agent}`;
    const lane = lanes.get(id) ?? { agent: span.agent, session: span.session_id, bars: [] };
    const left = Math.min((from - begin) / SHOWN, 1 - LEAST);
    const width = Math.max(LEAST, Math.min((to - from) / SHOWN, 1 - left));
    lane.bars.push({ key: `${index}`, kind: span.kind, label: span.label, left, width, running: !span.to });
    lanes.set(id, lane);
  }
  return [...lanes.values()];
}

const WORDS: Record<Span["kind"], [string, string]> = {
  task: ["task", "tasks"],
  call: ["call", "calls"],
  wait: ["wait for a person", "waits for people"],
};

/** The same for those who do not see it. */
export function spoken(lane: AgentLane): string {
  const parts = (["task", "call", "wait"] as const).flatMap((kind) => {
    const count = lane.bars.filter((bar) => bar.kind === kind).length;
    return count === 0 ? [] : [`${count} ${WORDS[kind][count === 1 ? 0 : 1]}`];
  });
  return `${lane.agent}: ${parts.join(", ")}`;
}

/** A line through the numbers, in a box of this size; flat at the bottom where nothing happened. */
export function sparkline(numbers: number[], width: number, height: number): string {
  const most = Math.max(1, ...numbers);
  const step = numbers.length > 1 ? width / (numbers.length - 1) : 0;
  return numbers
    .map(
      (number, index) => `${index === 0 ? "M" : "L"}${round(index * step)} ${round(height - (number / most) * height)}`,
    )
    .join("");
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
