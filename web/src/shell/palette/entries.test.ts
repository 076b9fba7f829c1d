import { expect, test } from "vitest";
import { found, moved, type PaletteEntry, shown } from "@/shell/palette/entries";

const entry = (title: string, about = ""): PaletteEntry => ({ id: title, title, about, act: () => undefined });

test("a title that begins with the words comes first, what is only said about a thing last", () => {
  const entries = [entry("Paint", "of the shed"), entry("The shed"), entry("Shed and barn")];

  expect(found(entries, "shed").map(({ title }) => title)).toEqual(["Shed and barn", "The shed", "Paint"]);
  expect(found(entries, "SHED the").map(({ title }) => title)).toEqual(["The shed", "Paint"]);
  expect(found(entries, "roof")).toEqual([]);
});

test("without words all of them are there, a few of each group", () => {
  const many = Array.from({ length: 20 }, (_, index) => entry(`Task ${index}`));

  const groups = shown(
    [
      { title: "Tasks", entries: many },
      { title: "Agents", entries: [] },
    ],
    "",
  );

  expect(groups.map(({ title, entries }) => [title, entries.length])).toEqual([["Tasks", 6]]);
});

test("the keys go round", () => {
  expect(moved(0, "ArrowUp", 3)).toBe(2);
  expect(moved(2, "ArrowDown", 3)).toBe(0);
  expect(moved(1, "End", 3)).toBe(2);
  expect(moved(1, "x", 3)).toBe(1);
  expect(moved(0, "ArrowDown", 0)).toBe(0);
});
