import { describe, expect, it } from "vitest";
import { appendPage } from "@/live/appendOnly";
import { type Note, type NoteCursor, readPage } from "@/pages/table/notes/data";

function note(number: number): Note {
  return { id: `n${number}`, content: "x", tags: [], author: "a", source: null, timestamp: "2026-01-01T00:00:00Z" };
}

/** A corkboard that answers as the server does: the newest page, a cursor while there are older ones. */
class NoteServer {
  limits: number[] = [];
  constructor(public total: number) {}
  ask = async ({ limit, cursor }: { limit: number; cursor?: string }) => {
    this.limits.push(limit);
    const top = cursor ? Number(cursor) - 1 : this.total;
    const count = Math.min(limit, top);
    const notes = Array.from({ length: count }, (_, place) => note(top - count + 1 + place));
    return { notes, total: this.total, ...(top > count ? { older: String(top - count + 1) } : {}) };
  };
}

async function readAll(
  server: NoteServer,
  from: { items: Note[]; next: NoteCursor | null; total: number },
  meanwhile = () => {},
) {
  let list = from;
  for (;;) {
    const page = await readPage(list.next, server.ask);
    list = appendPage(list, page, ({ id }) => id);
    if (!page.more) return list;
    meanwhile();
  }
}

const NOTHING = { items: [], next: null, total: 0 };

describe("reading the notes", () => {
  it("takes one page when there is no more", async () => {
    const server = new NoteServer(20);

    const { items } = await readAll(server, NOTHING);

    expect(items).toHaveLength(20);
    expect(server.limits).toEqual([500]);
  });

  it("reads an empty corkboard", async () => {
    const server = new NoteServer(0);
    const nothing = await readAll(server, NOTHING);
    server.total = 2;

    expect((await readAll(server, nothing)).items).toHaveLength(2);
  });

  it("reads all of many, each once, the newest first", async () => {
    const { items } = await readAll(new NoteServer(1_700), NOTHING);

    expect(items[0]?.id).toBe("n1700");
    expect(new Set(items.map(({ id }) => id)).size).toBe(1_700);
  });

  it("misses none that is pinned while the others are read", async () => {
    const server = new NoteServer(1_200);

    const { items } = await readAll(server, NOTHING, () => {
      server.total += 3;
    });

    expect(new Set(items.map(({ id }) => id)).size).toBe(server.total);
  });

  it("reads only what is new afterwards", async () => {
    const server = new NoteServer(1_200);
    const before = await readAll(server, NOTHING);
    server.limits = [];
    server.total += 2;

    const { items } = await readAll(server, before);

    expect(items).toHaveLength(1_202);
    expect(server.limits).toEqual([100]);
  });

  it("closes a gap that is wider than a look at the newest", async () => {
    const server = new NoteServer(10);
    const before = await readAll(server, NOTHING);
    server.total = 900;

    expect((await readAll(server, before)).items).toHaveLength(900);
  });
});
