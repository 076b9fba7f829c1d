import type { NotebookFilter } from "@/pages/notebooks/data";
import { LANGUAGES, type Wish } from "@/pages/notebooks/SearchBar";

/** The part of the notebooks page that an address shows. Ids are percent-encoded in it. */
export type Place = { at: "browse" } | { at: "trash" } | { at: "pad"; id: string; cell: string | undefined };

export function padAddress(id: string, cell?: string): string {
  const path = `/notebooks/pad/${encodeURIComponent(id)}`;
  return cell ? `${path}/${encodeURIComponent(cell)}` : path;
}

/** `path` as it stands in the address, not decoded: a decoded slash would look like the end of an id. Somebody may type
 * the id of a scratchpad without the `pad` before it. */
export function placeOf(path: string): Place {
  const [, , section, id, cell] = path.split("/");
  if (section === "trash") return { at: "trash" };
  if (section === "pad" && id) return { at: "pad", id: decoded(id), cell: cell ? decoded(cell) : undefined };
  if (section && section !== "pad") return { at: "pad", id: decoded(section), cell: undefined };
  return { at: "browse" };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** `/notebooks?q=price&in=everything&namespace=lab&tag=red` */
export function browseAddress({ namespace, tag }: NotebookFilter, { text, everything, language }: Wish): string {
  const address = new URLSearchParams();
  if (text.trim()) address.set("q", text);
  if (everything) address.set("in", "everything");
  if (language) address.set("language", language);
  if (typeof namespace === "object") address.set("namespace", namespace.name);
  else if (namespace === "none") address.set("without", "namespace");
  if (tag) address.set("tag", tag);
  const written = address.toString();
  return written ? `/notebooks?${written}` : "/notebooks";
}

export function wishIn(search: string): Wish {
  const address = new URLSearchParams(search);
  return {
    text: address.get("q") ?? "",
    everything: address.get("in") === "everything",
    language: LANGUAGES.find((name) => name === address.get("language")),
  };
}

export function filterIn(search: string): NotebookFilter {
  const address = new URLSearchParams(search);
  const name = address.get("namespace");
  const none = address.get("without") === "namespace";
  return { namespace: name ? { name } : none ? "none" : "all", tag: address.get("tag") ?? undefined };
}
