import { expect, test } from "vitest";
import { padAddress, placeOf } from "@/pages/notebooks/address";

test("an id with any character in it survives the way through the address", () => {
  for (const id of ["plans", "a/b", "50%", "a%2Fb", "naïve ?#&", "."]) {
    expect(placeOf(padAddress(id))).toEqual({ at: "pad", id, cell: undefined });
  }
});

test("an address can name a cell", () => {
  expect(placeOf(padAddress("a/b", "c 1"))).toEqual({ at: "pad", id: "a/b", cell: "c 1" });
});

test("a broken encoding is taken as it is", () => {
  expect(placeOf("/notebooks/pad/100%")).toEqual({ at: "pad", id: "100%", cell: undefined });
});

test("an id that somebody typed without the word before it is one", () => {
  expect(placeOf("/notebooks/plans")).toEqual({ at: "pad", id: "plans", cell: undefined });
  expect(placeOf("/notebooks/a%2Fb")).toEqual({ at: "pad", id: "a/b", cell: undefined });
});

test("everything else is the trash or the shelves", () => {
  expect(placeOf("/notebooks/trash")).toEqual({ at: "trash" });
  expect(placeOf("/notebooks")).toEqual({ at: "browse" });
  expect(placeOf("/notebooks/pad/")).toEqual({ at: "browse" });
});
