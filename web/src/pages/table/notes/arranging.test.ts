import { describe, expect, it } from "vitest";
import {
  addressOf,
  columnsOf,
  filterOf,
  MOST_COLUMNS,
  newestFirst,
  steadyOrder,
  successors,
} from "@/pages/table/notes/arranging";
import type { Note, NoteTags } from "@/pages/table/notes/data";

const note = (id: string, more: Partial<Note> = {}): Note => ({
  id,
  content: id,
  tags: [],
  author: "ann",
  source: null,
  timestamp: "2026-01-01T00:00:00Z",
  ...more,
});

const counted = (...tags: string[]): NoteTags => ({
  ok: true,
  tags: tags.map((tag, index) => ({ tag, count: tags.length - index })),
  authors: [],
  total: 10,
  untagged: 1,
});

const ANY = { text: "", meaning: false, tags: [], author: "" };

describe("notes", () => {
  it("stand with the newest first, by number", () => {
    expect(newestFirst([note("n2"), note("n10"), note("n9")]).map((one) => one.id)).toEqual(["n10", "n9", "n2"]);
  });

  it("know what has taken their place, from either side", () => {
    const notes = [note("n1"), note("n2", { superseded_by: "n4" }), note("n3", { supersedes: "n1" })];

    expect(successors(notes)).toEqual(
      new Map([
        ["n1", "n3"],
        ["n2", "n4"],
      ]),
    );
  });
});

describe("columns", () => {
  it("are all notes, then the most used tags", () => {
    const columns = columnsOf(["plan", "risk"], counted("plan", "risk"), ANY);

    expect(columns.map(({ title, count }) => [title, count])).toEqual([
      ["All notes", 10],
      ["plan", 2],
      ["risk", 1],
    ]);
  });

  it("never move while they are open, and new ones come at the end", () => {
    const order = steadyOrder([], counted("a", "b").tags, []);

    expect(steadyOrder(order, counted("b", "c", "a").tags, [])).toEqual(["a", "b", "c"]);
  });

  it("are the chosen tags alone where some are chosen", () => {
    const order = steadyOrder(["a", "b"], counted("a", "b").tags, ["b"]);

    expect(columnsOf(order, counted("a", "b"), { ...ANY, tags: ["b"] }).map(({ title }) => title)).toEqual(["b"]);
  });

  it("are not more than anybody looks at", () => {
    const many = Array.from({ length: 40 }, (_, index) => `tag${index}`);

    expect(steadyOrder([], counted(...many).tags, []).length).toBe(MOST_COLUMNS);
  });
});

describe("the filter", () => {
  it("is the same after it was in the address", () => {
    const filter = { text: "a & b", meaning: true, tags: ["x", "y z"], author: "ann" };

    expect(filterOf(new URLSearchParams(addressOf(filter).toString()))).toEqual(filter);
  });

  it("leaves an address clean where nothing is narrowed", () => {
    expect(addressOf(ANY).toString()).toBe("");
  });
});
