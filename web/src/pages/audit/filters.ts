/** What somebody is looking for in the log. Times are as the fields of the page hold them: local, without a zone. */
export interface Filters {
  event_type: string;
  agent_id: string;
  session_id: string;
  outcome: string;
  since: string;
  until: string;
}

export type AuditQuery = Partial<Filters>;

export const NO_FILTERS: Filters = { event_type: "", agent_id: "", session_id: "", outcome: "", since: "", until: "" };

/** What is asked of the server: nothing for an empty field, times with their zone. */
export function queryOf(filters: Filters): AuditQuery {
  const query: AuditQuery = {};
  for (const name of ["event_type", "agent_id", "session_id", "outcome"] as const) {
    const text = filters[name].trim();
    if (text) query[name] = name === "event_type" ? text.toLowerCase().replaceAll(" ", "_") : text;
  }
  for (const name of ["since", "until"] as const) {
    const moment = Date.parse(filters[name]);
    if (!Number.isNaN(moment)) query[name] = new Date(moment).toISOString();
  }
  return query;
}

export function toAddress(filters: Filters, looks: boolean): string {
  const address = new URLSearchParams();
  for (const [name, value] of Object.entries(filters)) if (value) address.set(name, value);
  if (looks) address.set("looks", "1");
  const text = address.toString();
  return text ? `/audit?${text}` : "/audit";
}

export function fromAddress(search: string): { filters: Filters; looks: boolean } {
  const address = new URLSearchParams(search);
  const filters = { ...NO_FILTERS };
  for (const name of Object.keys(NO_FILTERS) as (keyof Filters)[]) filters[name] = address.get(name) ?? "";
  return { filters, looks: address.get("looks") === "1" };
}

export function isFiltered(filters: Filters): boolean {
  return Object.keys(queryOf(filters)).length > 0;
}

const LOOKS = /_(read|listed|searched|streamed|awaited|compared)$/;

/** Whether somebody only looked, and was let. The console itself looks all the time. */
export function isOnlyALook(entry: { event_type: string; outcome: string }): boolean {
  return entry.outcome === "SUCCESS" && LOOKS.test(entry.event_type);
}

/** `note_added` as people write it. */
export function typeInWords(type: string): string {
  const words = type.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export function outcomeInWords(outcome: string): string {
  return outcome === "SUCCESS" ? "Done" : typeInWords(outcome.toLowerCase());
}

interface ChainState {
  holds: boolean;
  records: number;
  broken_at: number | null;
  problem: string | null;
}

export function chainInWords({ holds, records, broken_at, problem }: ChainState): string {
  const count = records.toLocaleString("en");
  if (holds) return `${count} ${records === 1 ? "record" : "records"}, the chain holds.`;
  const place =
    broken_at === null ? "The chain is broken" : `The chain breaks at record ${broken_at.toLocaleString("en")}`;
  return `${place}${problem ? `: ${problem}` : "."}`;
}
