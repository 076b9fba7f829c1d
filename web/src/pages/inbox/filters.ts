import type { Item } from "@/pages/inbox/data";
import type { Option } from "@/parts/Choice";

export type Kind = "all" | Item["kind"] | "snoozed";

/** What somebody wants to see of the inbox. It stands in the address. */
export interface InboxFilter {
  kind: Kind;
  /** Of this session only. */
  session: string;
  text: string;
}

export const EVERYTHING: InboxFilter = { kind: "all", session: "", text: "" };

const TITLES: [Item["kind"], string][] = [
  ["question", "Questions"],
  ["approval", "Approvals"],
  ["tool", "Tools"],
];

export function filterOf(search: string): InboxFilter {
  const address = new URLSearchParams(search);
  const kind = address.get("kind");
  const known = kind === "snoozed" || TITLES.some(([id]) => id === kind);
  return {
    kind: known ? (kind as Kind) : "all",
    session: address.get("session") ?? "",
    text: address.get("q") ?? "",
  };
}

/** What follows the path, with its question mark; nothing where nothing is filtered. */
export function searchOf({ kind, session, text }: InboxFilter): string {
  const address = new URLSearchParams();
  if (kind !== "all") address.set("kind", kind);
  if (session) address.set("session", session);
  if (text.trim()) address.set("q", text);
  const written = address.toString();
  return written && `?${written}`;
}

export function isFiltered(filter: InboxFilter): boolean {
  return searchOf(filter) !== "";
}

/** The kinds that there are, each with its number; all of them together; and what is put off, which stays counted. */
export function kindsOf(items: Item[], snoozed: ReadonlyMap<string, number>): Option<Kind>[] {
  const awake = items.filter((item) => !snoozed.has(item.id));
  const kinds = TITLES.map(([id, title]) => ({ id, title, count: awake.filter((item) => item.kind === id).length }));
  const late = items.length - awake.length;
  return [
    { id: "all", title: "All", count: awake.length },
    ...kinds.filter(({ count }) => count > 0),
    ...(late > 0 ? [{ id: "snoozed" as const, title: "Snoozed", count: late }] : []),
  ];
}

export function fits(item: Item, filter: InboxFilter, snoozed: ReadonlyMap<string, number>): boolean {
  if (snoozed.has(item.id) !== (filter.kind === "snoozed")) return false;
  if (filter.kind !== "all" && filter.kind !== "snoozed" && filter.kind !== item.kind) return false;
  if (filter.session && sessionOf(item) !== filter.session) return false;
  const words = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
  const text = textOf(item).toLowerCase();
  return words.every((word) => text.includes(word));
}

export function sessionOf(item: Item): string | undefined {
  if (item.kind === "question") return item.question.session_id;
  return (item.kind === "approval" && item.decision.session_id) || undefined;
}

/** Everything in an item that somebody may look for. */
function textOf(item: Item): string {
  if (item.kind === "question") {
    const { question, context, asked_by, purpose, options } = item.question;
    return [question, context, asked_by, purpose, ...(options ?? [])].join("\n");
  }
  if (item.kind === "approval") {
    const { identity, tool, upstream, requested_by, why, arguments_text } = item.decision;
    return [identity, tool, upstream, requested_by, why, arguments_text].join("\n");
  }
  return [item.pin.tool, item.pin.upstream].join("\n");
}

/** Its own address: whoever opens it lands on that one. */
export function addressOf(item: Item): string {
  return `/inbox/${item.kind}/${item.id.split("/").map(encodeURIComponent).join("/")}`;
}
