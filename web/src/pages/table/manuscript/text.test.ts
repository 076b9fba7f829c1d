import { describe, expect, it } from "vitest";
import {
  asMarkdown,
  isRedacted,
  isTooLongToCompare,
  nameOfVersion,
  newsOf,
  pairOf,
  partsOf,
  sectionIdOf,
  wholeDraft,
  withoutOwnTitle,
} from "@/pages/table/manuscript/text";

const section = { section_id: "costs", title: "Costs", version: 3, author: "writer", content: "Little." };

describe("the name of a new section", () => {
  it.each([
    ["What it costs", "what_it_costs"],
    ["  Über uns!  ", "uber_uns"],
    ["2026: a plan", "2026_a_plan"],
    ["概要", "section"],
  ])("for the title %s is %s", (title, name) => {
    expect(sectionIdOf(title, [])).toBe(name);
  });

  it("is not one that is taken or reserved", () => {
    expect(sectionIdOf("Costs", ["costs", "costs_2"])).toBe("costs_3");
    expect(sectionIdOf("Notes", [])).toBe("notes_2");
  });

  it("is as short as the server wants it, with room for a number", () => {
    const long = "word ".repeat(50);

    const name = sectionIdOf(long, [sectionIdOf(long, [])]);

    expect(name).toMatch(/^[a-z0-9][a-z0-9_-]{0,63}$/);
  });
});

describe("the title in the text", () => {
  it("is left out where it only repeats the title", () => {
    expect(withoutOwnTitle("# Why a *garden*\n\nIt cools.", "Why a garden")).toBe("It cools.");
    expect(withoutOwnTitle("## Costs ##", "Costs")).toBe("");
  });

  it("stays where it says something else", () => {
    expect(withoutOwnTitle("# Why\n\nIt cools.", "Why a garden")).toBe("# Why\n\nIt cools.");
    expect(withoutOwnTitle("Costs\n\n#Costs", "Costs")).toBe("Costs\n\n#Costs");
  });
});

describe("a draft as Markdown", () => {
  it("has every title once, as a heading", () => {
    const again = { ...section, content: "# Costs\n\nLittle.\n\n" };

    expect(asMarkdown(again)).toBe("# Costs\n\nLittle.\n");
    expect(wholeDraft([section, { ...section, title: "Water" }])).toBe("# Costs\n\nLittle.\n\n# Water\n\nLittle.\n");
  });
});

describe("comparing versions", () => {
  it("with the previous one puts the chosen one on the right", () => {
    expect(pairOf(3, 5, "previous")).toEqual({ before: 2, after: 3 });
  });

  it("begins with nothing before the first version", () => {
    expect(pairOf(1, 5, "previous")).toEqual({ before: 0, after: 1 });
    expect(nameOfVersion(0, 5)).toBe("Nothing");
  });

  it("with the current one puts the chosen one on the left", () => {
    expect(pairOf(3, 5, "current")).toEqual({ before: 3, after: 5 });
    expect(nameOfVersion(5, 5)).toBe("Version 5 (current)");
  });

  it("of the current one with itself shows nothing", () => {
    expect(pairOf(5, 5, "current")).toBeUndefined();
  });
});

describe("what is new", () => {
  it("is a version that was not seen, and who wrote it", () => {
    expect(newsOf(section, 2)).toBe("New: version 3 by writer");
    expect(newsOf(section, 3)).toBeUndefined();
  });

  it("is a section that was not there before", () => {
    expect(newsOf({ ...section, version: 1 }, 0)).toBe("New: section by writer");
  });
});

describe("a redacted version", () => {
  it("is known by its tombstone", () => {
    expect(isRedacted("[redacted by the owner]")).toBe(true);
    expect(isRedacted("It was [redacted by the owner]")).toBe(false);
    expect(isRedacted(undefined)).toBe(false);
  });
});

describe("a long text", () => {
  it("is cut between paragraphs, and loses nothing by it", () => {
    const text = Array.from({ length: 50 }, (_, index) => `Paragraph ${index}.\nSecond line.`).join("\n\n");

    const parts = partsOf(text, 200);

    expect(parts.length).toBeGreaterThan(5);
    expect(parts.join("\n")).toBe(text);
    expect(parts.every((part) => part.startsWith("Paragraph"))).toBe(true);
  });

  it("is never cut inside a block of code", () => {
    const code = `\`\`\`\n${"x = 1\n\n".repeat(40)}\`\`\``;

    expect(partsOf(`${code}\n\nAfter.`, 50)).toEqual([`${code}\n`, "After."]);
  });

  it("is one part while it is short", () => {
    expect(partsOf("Short.", 50)).toEqual(["Short."]);
  });

  it("is compared only while that takes no time", () => {
    expect(isTooLongToCompare("a\nb", "a")).toBe(false);
    expect(isTooLongToCompare("a\n".repeat(5_000), "a\n".repeat(5_000))).toBe(true);
    expect(isTooLongToCompare("a".repeat(700_000), "")).toBe(true);
  });
});
