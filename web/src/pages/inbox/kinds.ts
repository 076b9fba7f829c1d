import type { Item } from "@/pages/inbox/data";
import type { Option } from "@/parts/Choice";

export type Kind = "all" | Item["kind"];

const TITLES: [Item["kind"], string][] = [
  ["question", "Questions"],
  ["approval", "Approvals"],
  ["tool", "Tools"],
];

/** The kinds that there are, each with its number, and all of them together. */
export function kindsOf(items: Item[]): Option<Kind>[] {
  const kinds = TITLES.map(([id, title]) => ({ id, title, count: items.filter((item) => item.kind === id).length }));
  return [{ id: "all", title: "All", count: items.length }, ...kinds.filter(({ count }) => count > 0)];
}
