import { describe, expect, it } from "vitest";
import { columnsOf, filtered, newestFirst, successors, tagsOf } from "@/pages/table/notes/arranging";
import type { Note } from "@/pages/table/notes/data";
import { tagsFrom } from "@/pages/table/notes/PinNote";

function note(id: string, tags: string[] = [], more: Partial<Note> = {}): Note {
  return {
    id,
    content: `About ${id}`,
    tags,
    author: "writer",
    source: null,
    timestamp: "2026-01-01T00:00:00Z",
    ...more,
  };
}

const ids = (notes: Note[]) => notes.map(({ id }) => id);
const none = new Set<string>();

describe("the corkboard", () => {
  it("has the newest note first, by number and not by spelling", () => {
    expect(ids(newestFirst([note("n9"), note("n10"), note("n2")]))).toEqual(["n10", "n9", "n2"]);
  });

  it("has a column for each tag, the most used first", () => {
    const notes = [note("n3", ["cost"]), note("n2", ["cost", "water"]), note("n1", [])];

    const columns = columnsOf(notes, tagsOf(notes), none);

    expect(columns.map(({ title, notes: held }) => [title, ids(held)])).toEqual([
      ["cost", ["n3", "n2"]],
      ["water", ["n2"]],
      ["Without a tag", ["n1"]],
    ]);
  });

  it("gathers rare tags in one column", () => {
    const notes = Array.from({ length: 20 }, (_, place) => note(`n${place}`, [`tag${place}`]));

    const columns = columnsOf(notes, tagsOf(notes), none);

    expect(columns).toHaveLength(13);
    expect(columns.at(-1)).toMatchObject({ title: "Other tags" });
    expect(columns.at(-1)?.notes).toHaveLength(8);
  });

  it("keeps a tag apart that is called like another column", () => {
    const notes = [note("n1", ["others"]), note("n2", ["Other tags"])];

    const names = columnsOf(notes, tagsOf(notes), none).map(({ id }) => id);

    expect(new Set(names).size).toBe(names.length);
  });

  it("shows only the columns of chosen tags", () => {
    const notes = [note("n2", ["cost", "water"])];

    expect(columnsOf(notes, tagsOf(notes), new Set(["water"])).map(({ title }) => title)).toEqual(["water"]);
  });

  it("is narrowed down by words in any part of a note, by tag and by author", () => {
    const notes = [
      note("n3", ["cost"], { content: "Soil is 600 EUR" }),
      note("n2", ["water"], { source: "https://example.org/SOIL" }),
      note("n1", ["cost"], { author: "critic" }),
    ];

    expect(ids(filtered(notes, { text: " soil ", tags: none, author: "" }))).toEqual(["n3", "n2"]);
    expect(ids(filtered(notes, { text: "", tags: new Set(["cost"]), author: "" }))).toEqual(["n3", "n1"]);
    expect(ids(filtered(notes, { text: "", tags: new Set(["cost"]), author: "critic" }))).toEqual(["n1"]);
  });

  it("knows the successor of a note that was read before there was one", () => {
    const notes = [
      note("n3", [], { supersedes: "n2" }),
      note("n2", [], { supersedes: "n1", superseded_by: "n3" }),
      note("n1"),
    ];

    expect(Object.fromEntries(successors(notes))).toEqual({ n2: "n3", n1: "n2" });
  });

  it("keeps the first of two successors, as the server does", () => {
    const notes = [note("n3", [], { supersedes: "n1" }), note("n2", [], { supersedes: "n1" }), note("n1")];

    expect(successors(notes).get("n1")).toBe("n2");
  });

  it("takes tags from words between commas, each once", () => {
    expect(tagsFrom(" cost, water,, cost ,")).toEqual(["cost", "water"]);
  });
});
