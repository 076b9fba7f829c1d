import type { Schemas } from "@/api/client";

export type UsageRow = Schemas["UsageRow"];
export type Measure = "tokens" | "cost";

export const PERIODS = [
  { days: 7, title: "7 days" },
  { days: 30, title: "30 days" },
  { days: 90, title: "90 days" },
  { days: 0, title: "All time" },
] as const;

/** What the page shows; all of it stands in the address. */
export interface CostsFilter {
  /** 0 for all time. */
  days: number;
  /** Undefined: cost where any was told, else tokens. */
  measure: Measure | undefined;
  agent: string;
  session: string;
}

const USUAL_DAYS = 30;

export function filterOf(search: string): CostsFilter {
  const address = new URLSearchParams(search);
  const days = Number(address.get("days") ?? USUAL_DAYS);
  const measure = address.get("measure");
  return {
    days: PERIODS.some((period) => period.days === days) ? days : USUAL_DAYS,
    measure: measure === "tokens" || measure === "cost" ? measure : undefined,
    agent: address.get("agent") ?? "",
    session: address.get("session") ?? "",
  };
}

export function addressOf({ days, measure, agent, session }: CostsFilter): string {
  const address = new URLSearchParams();
  if (days !== USUAL_DAYS) address.set("days", String(days));
  if (measure) address.set("measure", measure);
  if (agent) address.set("agent", agent);
  if (session) address.set("session", session);
  const text = address.toString();
  return text ? `/costs?${text}` : "/costs";
}

const DAY = 86_400_000;

/** The first day of the period, as the server counts days: by UTC. */
export function sinceOf(days: number, now: number): string | undefined {
  if (days === 0) return undefined;
  return new Date(now - (days - 1) * DAY).toISOString().slice(0, 10);
}

export function amountOf(row: Pick<UsageRow, "input_tokens" | "output_tokens" | "cost">, measure: Measure): number {
  return measure === "cost" ? (row.cost ?? 0) : row.input_tokens + row.output_tokens;
}

export interface DayColumn {
  day: string;
  row: UsageRow | undefined;
}

/** At most so many columns: more would be thinner than a line. */
const MOST_COLUMNS = 120;

/** Every day of the period, the oldest first, also those on which nothing was used. */
export function columnsOf(rows: UsageRow[], days: number, now: number): DayColumn[] {
  const byDay = new Map(rows.flatMap((row) => (row.day ? [[row.day, row] as const] : [])));
  const first = days === 0 ? rows.at(-1)?.day : sinceOf(days, now);
  const begin = first ? Date.parse(first) : now;
  const count = Math.min(MOST_COLUMNS, Math.floor(now / DAY) - Math.floor(begin / DAY) + 1);
  return Array.from({ length: Math.max(1, count) }, (_, index) => {
    const day = new Date(now - (count - 1 - index) * DAY).toISOString().slice(0, 10);
    return { day, row: byDay.get(day) };
  });
}

const WHOLE = new Intl.NumberFormat("en");
const SHORT = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const MONEY = new Intl.NumberFormat("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const CENTS = new Intl.NumberFormat("en", { maximumSignificantDigits: 2 });

export function tokensInWords(tokens: number): string {
  return tokens < 10_000 ? WHOLE.format(tokens) : SHORT.format(tokens);
}

/** In whatever currency the agents report. */
export function costInWords(cost: number | undefined): string {
  if (cost === undefined) return "–";
  return cost > 0 && cost < 0.01 ? CENTS.format(cost) : MONEY.format(cost);
}

export function inWords(amount: number, measure: Measure): string {
  return measure === "cost" ? costInWords(amount) : tokensInWords(amount);
}

const DATE = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", timeZone: "UTC" });

export function dayInWords(day: string): string {
  return DATE.format(Date.parse(day));
}
