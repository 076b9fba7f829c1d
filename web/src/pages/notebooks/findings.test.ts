import { expect, test } from "vitest";
import { byLine, findingsOf, type Result, stateOf, summaryOf } from "@/pages/notebooks/findings";

function result(errors: number[], warnings: number[] = [], checked = true): Result {
  const at = (line: number) => ({ message: "wrong", code: "SYNTAX_ERROR", line, column: 1 });
  return {
    cell_index: 0,
    cell_id: "c",
    language: "py",
    valid: errors.length === 0,
    errors: errors.map(at),
    warnings: warnings.map(at),
    details: {
      syntax: { checked, passed: checked ? true : null, checker: null },
      schema: { checked: false, passed: null },
      analysis: {},
      ...(checked ? {} : { reason: "Plain text." }),
    },
  };
}

test("a cell is unchecked, valid, or has errors and warnings", () => {
  expect(stateOf(undefined)).toEqual({ is: "unchecked" });
  expect(stateOf(result([]))).toEqual({ is: "valid" });
  expect(stateOf(result([], [3]))).toEqual({ is: "warnings", words: "1 warning" });
  expect(stateOf(result([1, 2], [3]))).toEqual({ is: "errors", words: "2 errors, 1 warning" });
});

test("a cell that nothing checks is not called valid", () => {
  expect(stateOf(result([], [], false))).toEqual({ is: "nothing", why: "Plain text." });
});

test("the summary says how many cells are fine, and what was found", () => {
  expect(summaryOf([result([]), result([]), result([1], [2, 3])])).toBe(
    "2 of 3 cells are fine. Found: 1 error, 2 warnings.",
  );
  expect(summaryOf([result([]), result([], [1])])).toBe("All 2 cells are fine. Found: 1 warning.");
  expect(summaryOf([result([])])).toBe("The cell is fine.");
  expect(summaryOf([])).toBe("There are no cells to check.");
});

test("findings come in the order of the text", () => {
  expect(findingsOf(result([9, 2], [5])).map(({ line, tone }) => [line, tone])).toEqual([
    [2, "error"],
    [5, "warning"],
    [9, "error"],
  ]);
});

test("a finding past the end is shown at the last line", () => {
  expect([...byLine(findingsOf(result([0, 99])), 4).keys()]).toEqual([1, 4]);
});
