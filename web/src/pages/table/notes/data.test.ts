import { describe, expect, it } from "vitest";
import { appendPage } from "@/live/appendOnly";
import { type Note, type NoteCursor, readPage } from "@/pages/table/notes/data";

function note(number: number): Note {
  return { id: `n${number}`, content: "x", tags: [], author: "a", source: null, timestamp: "2026-01-01T00:00:00Z" };
}

/** A corkboard that answers as the server does: the newest first, a cursor while there are older ones. */
class Cork {
  asked: number[] = [];
  constructor(public total: number) {}
  ask = async ({ limit, cursor }: { limit: number; cursor?: string }) => {
    this.asked.push(limit);
    const top = cursor ? Number(cursor) - 1 : this.total;
    const count = Math.min(limit, top);
    const notes = Array.from({ length: count }, (_, place) => note(top - place));
    return { notes, total: this.total, next_cursor: top > count ? String(top - count + 1) : null };
  };
}

async function readAll(
  cork: Cork,
  from: { items: Note[]; next: NoteCursor | null; total: number },
  meanwhile = () => {},
) {
  let list = from;
  for (;;) {
    const page = await readPage(list.next, cork.ask);
    list = appendPage(list, page, ({ id }) => id);
    if (!page.more) return list;
    meanwhile();
  }
}

const NOTHING = { items: [], next: null, total: 0 };

describe("reading the notes", () => {
  it("takes one page when there is no more", async () => {
    const cork = new Cork(20);

    const { items } = await readAll(cork, NOTHING);

    expect(items).toHaveLength(20);
    expect(cork.asked).toEqual([500]);
  });

  it("reads an empty corkboard", async () => {
    const cork = new Cork(0);
    const nothing = await readAll(cork, NOTHING);
    cork.total = 2;

    expect((await readAll(cork, nothing)).items).toHaveLength(2);
  });

  it("reads all of many, each once, the newest first", async () => {
    const { items } = await readAll(new Cork(1_700), NOTHING);

    expect(items[0]?.id).toBe("n1700");
    expect(new Set(items.map(({ id }) => id)).size).toBe(1_700);
  });

  it("misses none that is pinned while the others are read", async () => {
    const cork = new Cork(1_200);

    const { items } = await readAll(cork, NOTHING, () => {
      cork.total += 3;
    });

    expect(new Set(items.map(({ id }) => id)).size).toBe(cork.total);
  });

  it("reads only what is new afterwards", async () => {
    const cork = new Cork(1_200);
    const before = await readAll(cork, NOTHING);
    cork.asked = [];
    cork.total += 2;

    const { items } = await readAll(cork, before);

    expect(items).toHaveLength(1_202);
    expect(cork.asked).toEqual([100]);
  });

  it("closes a gap that is wider than a look at the newest", async () => {
    const cork = new Cork(10);
    const before = await readAll(cork, NOTHING);
    cork.total = 900;

    expect((await readAll(cork, before)).items).toHaveLength(900);
  });
});
