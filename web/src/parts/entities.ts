/** Names that people write in Markdown. Others stay as they are written: a table of all would be a tenth of the page. */
const NAMED: Record<string, string> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00a0",
  copy: "©",
  hellip: "…",
  mdash: "—",
  ndash: "–",
  bull: "•",
  times: "×",
  deg: "°",
  euro: "€",
  rarr: "→",
};

export function decodeNamedCharacterReference(name: string): string | false {
  return Object.hasOwn(NAMED, name) ? (NAMED[name] ?? false) : false;
}
