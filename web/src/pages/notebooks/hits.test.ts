import { expect, test } from "vitest";
import { addressOf, aroundFirst, type Hit, inOrderOf, marked, merged, wordsOf } from "@/pages/notebooks/hits";

function hit(id: string, snippet: string, more: Partial<Hit> = {}): Hit {
  return {
    kind: "cell",
    id,
    scratch_id: "pad",
    timestamp: "2026-01-01T00:00:00Z",
    score: 0.5,
    snippet,
    embedding_version: null,
    ...more,
  };
}

test("words of the query are marked wherever a word begins like them", () => {
  expect(marked("Prices of coffee: a price list", "price")).toEqual([
    ["Prices", true],
    [" of coffee: a ", false],
    ["price", true],
    [" list", false],
  ]);
});

test("a word inside another is not marked, and case does not count", () => {
  expect(marked("underprice PRICE", "price").filter(([, found]) => found)).toEqual([["PRICE", true]]);
});

test("names are marked as they are written, whatever signs are in them", () => {
  expect(marked("see ERR-42 and foo_bar(x)", "err-42 foo_bar").filter(([, found]) => found)).toEqual([
    ["ERR-42", true],
    ["foo_bar", true],
  ]);
});

test("a query of signs alone, or one that looks like a pattern, marks nothing and breaks nothing", () => {
  expect(marked("a (b) [c", "((( [^ *")).toEqual([["a (b) [c", false]]);
  expect(marked("a.b|c", "a.b|c").some(([, found]) => found)).toBe(true);
});

test("a long text is shown from a little before the first word that is marked", () => {
  const text = `${"One sentence of many. ".repeat(20)}Then the price, at last.`;

  const [before, mark, after] = aroundFirst(marked(text, "price"));

  expect(before?.[0]).toMatch(/^… .*Then the $/);
  expect(before?.[0].length).toBeLessThan(80);
  expect([mark, after]).toEqual([
    ["price", true],
    [", at last.", false],
  ]);
});

test("of lines before the mark only the last two are shown", () => {
  expect(aroundFirst(marked("a\nb\nc\nthe price", "price"))[0]).toEqual(["… c\nthe ", false]);
});

test("a text is shown from its beginning when the mark is near, or when there is none", () => {
  const near = marked("What a price", "price");
  const none = marked("word ".repeat(100), "price");

  expect(aroundFirst(near)).toBe(near);
  expect(aroundFirst(none)).toBe(none);
});

test("endings of words do not count", () => {
  expect(wordsOf('"watering" prices by')).toEqual(["water", "pric", "by"]);
});

test("what only the meaning found gets its mark, what has a word of the query does not", () => {
  const words = [hit("1", "water the beds")];
  const both = [hit("2", "irrigation plan"), hit("1", "water the beds"), hit("3", "more water")];

  const shown = merged(words, both, "water");

  expect(shown.map((one) => [one.id, one.byMeaning])).toEqual([
    ["2", true],
    ["1", false],
    ["3", false],
  ]);
});

test("what is only remotely like the query is left out, unless it has its words", () => {
  const both = [hit("1", "irrigation", { score: 0.9 }), hit("2", "coffee", { score: 0.2 })];
  expect(merged([hit("3", "water", { score: 0.1 })], both, "water").map(({ id }) => id)).toEqual(["1", "3"]);
});

test("while somebody walks through the hits, those that are there keep their places", () => {
  const before = merged([hit("1", "water"), hit("2", "water too"), hit("3", "water gone")], undefined, "water");
  const now = merged(
    [hit("1", "water"), hit("2", "water too")],
    [hit("9", "irrigation"), hit("2", "water too")],
    "water",
  );
  expect(inOrderOf(before, now).map(({ id }) => id)).toEqual(["1", "2", "9"]);
});

test("the same number in two sessions is two hits", () => {
  const note = (session_id: string) => hit("n1", "water", { kind: "note", session_id });
  expect(merged([note("a"), note("b")], undefined, "water")).toHaveLength(2);
});

test("a hit leads to the thing itself", () => {
  expect(addressOf(hit("c1", ""))).toBe("/notebooks/pad/pad/c1");
  expect(addressOf(hit("pad", "", { kind: "scratchpad" }))).toBe("/notebooks/pad/pad");
  const { scratch_id: _, ...note } = hit("n3", "", { kind: "note", session_id: "garden plan" });
  expect(addressOf(note)).toBe("/sessions/garden%20plan/notes/n3");
  expect(addressOf({ ...note, kind: "section", id: "costs" })).toBe("/sessions/garden%20plan/draft/costs");
  expect(addressOf({ ...note, kind: "message", id: 7 })).toBe("/sessions/garden%20plan/messages/7");
  expect(addressOf({ ...note, kind: "task", id: "t7" })).toBe("/sessions/garden%20plan/plan/t7");
  expect(addressOf({ ...note, kind: "question", id: "q7" })).toBe("/sessions/garden%20plan/questions/q7");
});
