import type { Schemas } from "@/api/client";
import { padAddress } from "@/pages/notebooks/address";

export type Hit = Schemas["AnyHit"];
export type ShownHit = Hit & { byMeaning: boolean };

export function idOfHit(hit: Hit): string {
  return [hit.kind, hit.session_id ?? hit.scratch_id ?? "", String(hit.id)].join("\u0000");
}

/** Something is always near in meaning: what lies so far behind the best hit is not worth showing. */
const FAR_BEHIND = 0.4;

/** The hits by words, then those by meaning too: the second answer knows the better order. */
export function merged(byWords: Hit[], byBoth: Hit[] | undefined, query: string): ShownHit[] {
  const known = new Set(byWords.map(idOfHit));
  const shown = new Map<string, ShownHit>();
  for (const hit of [...(byBoth ?? []), ...byWords]) {
    const id = idOfHit(hit);
    if (!shown.has(id)) shown.set(id, { ...hit, byMeaning: !known.has(id) && !holdsAWord(hit, query) });
  }
  const best = byBoth?.[0]?.score ?? 0;
  return [...shown.values()].filter((hit) => !hit.byMeaning || hit.score >= best * FAR_BEHIND);
}

/** While hits are selected by keyboard, none of them moves: new ones are added at the end. */
export function inOrderOf(before: ShownHit[], hits: ShownHit[]): ShownHit[] {
  const fresh = new Map(hits.map((hit) => [idOfHit(hit), hit]));
  const kept = before.map(idOfHit).filter((id) => fresh.has(id));
  return [...new Set([...kept, ...fresh.keys()])].flatMap((id) => fresh.get(id) ?? []);
}

function holdsAWord(hit: Hit, query: string): boolean {
  return marked(`${hit.title ?? ""}\n${hit.snippet}`, query).some(([, found]) => found);
}

export function addressOf(hit: Hit): string {
  if (hit.scratch_id !== undefined) {
    return padAddress(hit.scratch_id, hit.kind === "cell" ? String(hit.id) : undefined);
  }
  const parts: Record<string, string> = {
    section: "draft",
    message: "messages",
    note: "notes",
    task: "plan",
    question: "questions",
  };
  const part = parts[hit.kind];
  const place = part ? `/${part}/${encodeURIComponent(hit.id)}` : "";
  return `/sessions/${encodeURIComponent(hit.session_id ?? "")}${place}`;
}

/** Endings that the search does not care about: prices finds price. */
const ENDING = /(?:ing|ies|es|ed|s|y)$/;

export function wordsOf(query: string): string[] {
  const words = query.toLowerCase().match(/[\p{L}\p{N}_][\p{L}\p{N}_./:-]*/gu) ?? [];
  const bare = words.map((word) => word.replace(/[./:-]+$/, ""));
  return [...new Set(bare.map((word) => (word.length > 4 ? word.replace(ENDING, "") : word)))].filter(Boolean);
}

/** The text in pieces: `true` for those words that begin like a word of the query. */
export function marked(text: string, query: string): [string, boolean][] {
  const words = wordsOf(query).sort((a, b) => b.length - a.length);
  if (words.length === 0) return [[text, false]];
  const any = words.map((word) => word.replaceAll(".", "\\.")).join("|");
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])((?:${any})[\\p{L}\\p{N}_]*)`, "giu");
  const found = text.split(pattern).map((piece, index): [string, boolean] => [piece, index % 2 === 1]);
  return found.filter(([piece]) => piece !== "");
}

/** So much may stand before the first mark: what is longer would push it out of the three lines that are shown. */
const BEFORE = 100;
const KEPT = 60;

/** The pieces from a little before the first mark on. */
export function aroundFirst(pieces: [string, boolean][]): [string, boolean][] {
  const [first, second, ...rest] = pieces;
  if (!first || first[1] || !second) return pieces;
  const lines = first[0].split("\n").slice(-2).join("\n");
  if (first[0].length <= BEFORE && lines.length === first[0].length) return pieces;
  const tail = lines.length <= BEFORE ? lines : lines.slice(-KEPT).replace(/^\S*\s+/, "");
  return [[`… ${tail.trimStart()}`, false], second, ...rest];
}
