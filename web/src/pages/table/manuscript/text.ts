import type { Schemas } from "@/api/client";

type SectionText = Schemas["SectionView"];

/** What the server puts in the place of a text that was taken back. */
const TOMBSTONE = "[redacted by the owner]";
/** Readable as sections, but made from other things: nobody writes them. */
export const RESERVED = ["notes", "plan", "user_answers"];
const LONGEST_ID = 64;

export function isRedacted(content: string | undefined): boolean {
  return content === TOMBSTONE;
}

/** A heading that only says the title again is left out: the title stands above it already. */
export function withoutOwnTitle(content: string, title: string): string {
  const heading = /^\s*#{1,6}[ \t]+([^\n]+?)[ \t]*#*[ \t]*(?:\n+|$)/.exec(content);
  if (!heading?.[1] || plainText(heading[1]) !== plainText(title)) return content;
  return content.slice(heading[0].length);
}

function plainText(text: string): string {
  return text.replace(/[*_`]/g, "").trim().toLowerCase();
}

export function asMarkdown(section: SectionText): string {
  return `# ${section.title}\n\n${withoutOwnTitle(section.content ?? "", section.title).trim()}\n`;
}

export function wholeDraft(sections: SectionText[]): string {
  return sections.map(asMarkdown).join("\n");
}

/** A name for a new section, by its title: short, plain, and not taken. */
export function sectionIdOf(title: string, taken: string[]): string {
  const words = title
    .normalize("NFKD")
    .toLowerCase()
    .replace(/\p{M}/gu, "")
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^_+|_+$/g, "")
    .slice(0, LONGEST_ID - 4)
    .replace(/_+$/, "");
  const name = words || "section";
  const used = new Set([...taken, ...RESERVED]);
  if (!used.has(name)) return name;
  let number = 2;
  while (used.has(`${name}_${number}`)) number += 1;
  return `${name}_${number}`;
}

export type Against = "previous" | "current";

/** Which versions stand side by side. 0 is the time before the first; nothing where there is nothing to compare. */
export function pairOf(
  chosen: number,
  current: number,
  against: Against,
): { before: number; after: number } | undefined {
  if (against === "previous") return { before: chosen - 1, after: chosen };
  return chosen < current ? { before: chosen, after: current } : undefined;
}

export function nameOfVersion(version: number, current: number): string {
  if (version === 0) return "Nothing";
  return version === current ? `Version ${version} (current)` : `Version ${version}`;
}

/** Says what a person has not seen of a section: the first of it, or a newer version than theirs. */
export function newsOf(section: SectionText, seen: number): string | undefined {
  if (section.version <= seen) return undefined;
  const by = section.author ? ` by ${section.author}` : "";
  return seen === 0 && section.version === 1 ? `New: section${by}` : `New: version ${section.version}${by}`;
}

/** Cuts a long text where a paragraph ends, so that it can be rendered a part at a time; never inside a block of code. */
export function partsOf(text: string, size: number): string[] {
  if (text.length <= size) return [text];
  const parts: string[] = [];
  let part: string[] = [];
  let length = 0;
  let fence = "";
  for (const line of text.split("\n")) {
    fence = fenceAfter(line, fence);
    part.push(line);
    length += line.length + 1;
    if (length >= size && fence === "" && line.trim() === "") {
      parts.push(part.join("\n"));
      part = [];
      length = 0;
    }
  }
  if (part.length > 0) parts.push(part.join("\n"));
  return parts;
}

/** What a block of code that is open after this line began with, or nothing. */
function fenceAfter(line: string, open: string): string {
  const mark = /^ {0,3}(```|~~~)/.exec(line)?.[1];
  if (!mark) return open;
  if (open === "") return mark;
  return open === mark ? "" : open;
}

/** Whether the page would stand still while it compares them. */
export function isTooLongToCompare(before: string, after: string): boolean {
  return lines(before) + lines(after) > 8_000 || before.length + after.length > 600_000;
}

function lines(text: string): number {
  let count = 1;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}
