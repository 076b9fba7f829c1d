import { expect, test } from "vitest";
import { ApiError } from "@/api/client";
import type { Cell } from "@/pages/notebooks/data";
import { conflictIn, inputOf, languageOf, textOfCell } from "@/pages/notebooks/writing";

const cell: Cell = {
  cell_id: "c1",
  index: 0,
  language: "yml",
  type: "data",
  tags: ["a", "b"],
  metadata: { filename: "compose.yml" },
  validate: false,
  version: 3,
  content: "a: 1",
  json_schema: { type: "object" },
};

test("what has no field in the form stays as it was", () => {
  const input = inputOf({ ...textOfCell(cell), content: "a: 2", tags: "a, c , a" }, cell);

  expect(input).toEqual({
    language: "yaml",
    content: "a: 2",
    tags: ["a", "c"],
    validate: true,
    metadata: { filename: "compose.yml" },
    json_schema: { type: "object" },
  });
});

test("a new cell begins as Markdown", () => {
  expect(inputOf({ ...textOfCell(undefined), content: "# Plan" }, undefined)).toEqual({
    language: "md",
    content: "# Plan",
    tags: [],
    validate: true,
  });
  expect(languageOf("cobol")).toBe("txt");
});

test("a conflict names the version that is there now", () => {
  expect(conflictIn(new ApiError(409, "VERSION_CONFLICT", "no", undefined, { current_version: 4 }))).toBe(4);
  expect(conflictIn(new ApiError(400, "INVALID_ARGUMENT", "no"))).toBeUndefined();
});
