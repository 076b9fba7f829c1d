import { expect, it } from "vitest";
import { pathInHash } from "@/shell/hash";

it.each([
  ["#/sessions/a%2Fb/plan", "/sessions/a%2Fb/plan"],
  ["#/audit?kind=x", "/audit?kind=x"],
  ["#//other.example/x", undefined],
  ["#/\\other.example", undefined],
  ["#content", undefined],
  ["", undefined],
])("reads %s as %s", (hash, path) => expect(pathInHash(hash)).toBe(path));
