import { expect, test } from "vitest";
import {
  colouredLines,
  pieces,
  plainLines,
  positionOf,
  shortened,
  stretchOf,
  textOf,
  withPlainBreaks,
} from "@/pages/notebooks/lines";
import { lowlight } from "@/parts/languages";

test("a text has as many lines as an editor would show", () => {
  expect(plainLines("").length).toBe(1);
  expect(plainLines("a\n").length).toBe(1);
  expect(plainLines(withPlainBreaks("a\r\nb\rc\n\n")).map(textOf)).toEqual(["a", "b", "c", ""]);
});

test("colours keep every character, and go on over line breaks", () => {
  const text = 'x = """one\ntwo"""\n\ny = 1\n';

  const lines = colouredLines(lowlight.highlight("py", text));

  expect(lines.map(textOf)).toEqual(['x = """one', 'two"""', "", "y = 1"]);
  expect(lines[1]?.[0]?.levels).toEqual(["hljs-string"]);
});

test("columns count characters, also those that take two places", () => {
  expect(positionOf("a😀b", 1)).toBe(0);
  expect(positionOf("a😀b", 3)).toBe(3);
  expect(positionOf("ab", 99)).toBe(2);
});

test("a finding without an end marks the word that begins there, or one character", () => {
  expect(stretchOf("if total then", { line: 1, column: 4 }, "error")).toEqual({ from: 3, to: 8, tone: "error" });
  expect(stretchOf("a = ;", { line: 1, column: 5 }, "error")).toEqual({ from: 4, to: 5, tone: "error" });
});

test("a finding with an end marks up to it, and on to the end of the line when it ends further down", () => {
  expect(stretchOf("abcdef", { line: 1, column: 2, end_line: 1, end_column: 4 }, "warning")).toMatchObject({
    from: 1,
    to: 3,
  });
  expect(stretchOf("abcdef", { line: 1, column: 2, end_line: 3, end_column: 1 }, "warning")).toMatchObject({
    from: 1,
    to: 6,
  });
});

test("marks cut the coloured tokens without losing any of them", () => {
  const line = [
    { text: "let ", levels: ["k"] },
    { text: "total = 1", levels: [] },
  ];

  const cut = pieces(line, [{ from: 2, to: 6, tone: "warning" }]);

  expect(cut.map(({ text, tone }) => [text, tone])).toEqual([
    ["le", undefined],
    ["t ", "warning"],
    ["to", "warning"],
    ["tal = 1", undefined],
  ]);
});

test("an error shows through a warning at the same place", () => {
  const cut = pieces(
    [{ text: "abc", levels: [] }],
    [
      { from: 0, to: 3, tone: "warning" },
      { from: 1, to: 2, tone: "error" },
    ],
  );
  expect(cut.map(({ tone }) => tone)).toEqual(["warning", "error", "warning"]);
});

test("a mark past the end of a line stands on a blank", () => {
  expect(pieces([], [{ from: 0, to: 1, tone: "error" }])).toEqual([{ text: " ", levels: [], tone: "error" }]);
});

test("a very long line is cut and says by how much", () => {
  const { line, hidden } = shortened(
    [
      { text: "a".repeat(30), levels: [] },
      { text: "b".repeat(30), levels: [] },
    ],
    40,
  );
  expect(textOf(line).length).toBe(40);
  expect(hidden).toBe(20);
});
