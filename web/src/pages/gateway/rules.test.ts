import { expect, test } from "vitest";
import {
  matcher,
  newRow,
  placeOf,
  problemsOf,
  rowOf,
  ruleOf,
  sameRules,
  withoutPlace,
  written,
} from "@/pages/gateway/rules";

test("a rule of the server is shown in the words of the documents", () => {
  const row = rowOf({ match: "files.*", layer: "primitive", rate: "10/60s", when: { required: ["to"] } });

  expect(row).toMatchObject({ layer: "tool", rate: "10/min", when: '{"required":["to"]}', confirm: "", reason: "" });
});

test("the recipe of one line comes out as it went in", () => {
  expect(ruleOf(newRow({ match: " files.* ", layer: "tool" }))).toEqual({ match: "files.*", layer: "tool" });
});

test("whom a rule is for survives an edit", () => {
  const rule = { match: "files.*", agents: ["janitor-*", "[ab]*"], sessions: ["a,b"], layer: "tool" };

  expect(rowOf(rule)).toMatchObject({ agents: "janitor-*, [ab]*", sessions: '["a,b"]', roles: "" });
  expect(ruleOf(rowOf(rule))).toEqual(rule);
});

test("a rule without a tool, or without a word about it, is not ready", () => {
  expect(problemsOf(newRow({ layer: "tool" }))).toHaveProperty("match");
  expect(problemsOf(newRow({ match: "files.*" }))).toHaveProperty("layer");
  expect(problemsOf(newRow({ match: "files.*", rate: "5/10s" }))).toEqual({});
});

test.each(["60/min", "5/10s", "1000/day", "3 / 2 hours", "1/S"])("%s is a rate", (rate) => {
  expect(problemsOf(newRow({ match: "a.b", rate }))).toEqual({});
});

test.each(["often", "0/min", "10/", "10/fortnight", "-1/min"])("%s is no rate", (rate) => {
  expect(problemsOf(newRow({ match: "a.b", rate }))).toHaveProperty("rate");
});

test.each(["{", "[1]", '"to"', "null"])("%s is no condition", (when) => {
  expect(problemsOf(newRow({ match: "a.b", layer: "run", when }))).toHaveProperty("when");
});

test("the place that the server names leads to the rule and its field", () => {
  expect(placeOf("rules[12].rate")).toEqual({ index: 12, field: "rate" });
  expect(placeOf("rules[0].when.properties")).toEqual({ index: 0, field: "when" });
  expect(placeOf("rules[3]")).toEqual({ index: 3, field: "match" });
  expect(placeOf("rules")).toBeUndefined();
  expect(placeOf(undefined)).toBeUndefined();
});

test("rules are written one to a line, also those that are not ready", () => {
  const rows = [
    newRow({ match: "files.*", layer: "tool" }),
    newRow({ match: "mail.send", confirm: "human", when: "{" }),
    newRow({ match: "mail.*", layer: "run", when: '{"required": ["to"]}' }),
  ];

  expect(written(rows).split("\n")).toEqual([
    '{ "match": "files.*", "layer": "tool" }',
    '{ "match": "mail.send", "confirm": "human", "when": "{" }',
    '{ "match": "mail.*", "layer": "run", "when": { "required": [ "to" ] } }',
  ]);
  expect(written([])).toBe("");
});

test("the words of the server are shown at the rule, without its place", () => {
  expect(withoutPlace("rules[4].rate: must count calls in at most two days.")).toBe(
    "Must count calls in at most two days.",
  );
  expect(withoutPlace("Something else.")).toBe("Something else.");
});

test("two spellings of the same rules are the same", () => {
  expect(sameRules([{ match: "a", layer: "primitive" }], [{ layer: "tool", match: "a" }])).toBe(true);
  expect(sameRules([{ match: "a", layer: "run" }], [{ match: "a", layer: "tool" }])).toBe(false);
});

test.each([
  ["files.*", "files.read_file", true],
  ["files.*", "filesystem.read", false],
  ["*.delete_?", "crm.delete_x", true],
  ["*.delete_?", "crm.delete_xy", false],
  ["mail.[sr]*", "mail.send", true],
  ["mail.[!s]*", "mail.send", false],
  ["a+b.(c)", "a+b.(c)", true],
  ["A.*", "a.b", false],
  ["x.[", "x.[", true],
  ["x.[]]", "x.]", true],
])("%s against %s is %s", (pattern, identity, fits) => {
  expect(matcher(pattern)(identity)).toBe(fits);
});
