import { describe, expect, it } from "vitest";
import { type Recent, withNewer, withOlder } from "@/pages/table/recent";

interface Item {
  n: number;
}
const of = (...numbers: number[]): Item[] => numbers.map((n) => ({ n }));
const numberOf = (item: Item) => item.n;

describe("the newest end of a list", () => {
  it("grows at its end", () => {
    const known: Recent<Item> = { items: of(4, 5), older: true };

    expect(withNewer(known, of(6, 7), numberOf)).toEqual({ items: of(4, 5, 6, 7), older: true });
  });

  it("takes nothing twice", () => {
    expect(withNewer({ items: of(4, 5), older: false }, of(5, 6), numberOf).items).toEqual(of(4, 5, 6));
  });

  it("stays the same thing when nothing is new", () => {
    const known: Recent<Item> = { items: of(4, 5), older: false };

    expect(withNewer(known, of(5), numberOf)).toBe(known);
  });

  it("grows at its beginning on demand, until there is nothing older", () => {
    const known: Recent<Item> = { items: of(4, 5), older: true };
    const first = known.items[0] as Item;

    expect(withOlder(known, { items: of(2, 3), older: false }, first)).toEqual({ items: of(2, 3, 4, 5), older: false });
  });

  it("drops an older page that was asked for before the list was read anew", () => {
    const before = of(4)[0] as Item;
    const anew: Recent<Item> = { items: of(4, 5), older: true };

    expect(withOlder(anew, { items: of(3), older: false }, before)).toBe(anew);
    expect(withOlder(undefined, { items: of(3), older: false }, before)).toBeUndefined();
  });
});
