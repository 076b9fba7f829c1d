import { expect, it } from "vitest";
import { cut, plainText } from "@/pages/table/plainText";

it.each([
  ["We drink **61 cups** a day", "We drink 61 cups a day"],
  ["Then write *two thirds*, or _half_", "Then write two thirds, or half"],
  ["**all of *it* ~~now~~**", "all of it now"],
  ["> up to EUR 2,500", "up to EUR 2,500"],
  ["## What it costs", "What it costs"],
  ["See the [survey](https://example.org/a) and ![a plan](x.png)", "See the survey and a plan"],
  ["Call `a**b**` first", "Call a**b** first"],
  ["\\*not emphasis\\*", "*not emphasis*"],
  ["```python\nprice = 3\n```", "price = 3"],
  ["| part | EUR |\n|---|---|\n| pump | 120 |", "part, EUR\npump, 120"],
])("a text loses the marks of Markdown: %j", (text, words) => {
  expect(plainText(text)).toBe(words);
});

it.each(["snake_case_name", "2 * 3 * 4", "5 > 3", "- herbs", "#12 is open", "a ~ b", "[1] and [2]", "a | b"])(
  "what only looks like a mark stays: %s",
  (text) => {
    expect(plainText(text)).toBe(text);
  },
);

it("a mark that a preview cut open is left out", () => {
  expect(plainText("It is **very impor")).toBe("It is very impor");
});

it("no text takes long, whatever it is made of", () => {
  const began = performance.now();

  for (const mark of ["*", "**a", "[", "[a](", "`", "_a ", "~~", ">", "|", "-", "\\"]) plainText(mark.repeat(2_000));

  expect(performance.now() - began).toBeLessThan(1_000);
});

it("a line is cut between characters, also between those that are written as two", () => {
  expect(cut("Buy wood", 8)).toBe("Buy wood");
  expect(cut("Buy wood and nails", 10)).toBe("Buy wood…");
  expect(cut("😀".repeat(60), 90)).toBe(`${"😀".repeat(44)}…`);
});
