import { expect, test } from "vitest";
import { changedLines } from "@/pages/gateway/changes";

test("a unified diff is read as lines that came, went and stayed", () => {
  const diff = '--- agreed\n+++ now\n@@ -1,3 +1,3 @@\n {\n- "a": 1\n+ "a": 2\n@@ -9 +9 @@\n }';

  expect(changedLines(diff)).toEqual([
    { kind: "same", text: "{" },
    { kind: "removed", text: ' "a": 1' },
    { kind: "added", text: ' "a": 2' },
    { kind: "gap", text: "" },
    { kind: "same", text: "}" },
  ]);
});

test("a line that begins with two signs keeps the second one", () => {
  expect(changedLines("--- agreed\n+++ now\n@@ -1 +1 @@\n--- x\n+++ y")).toEqual([
    { kind: "removed", text: "-- x" },
    { kind: "added", text: "++ y" },
  ]);
});

test("no difference is no line", () => {
  expect(changedLines("")).toEqual([]);
});
