import { QueryClientProvider } from "@tanstack/react-query";
import { cleanup, renderHook, waitFor } from "@testing-library/react";
import { createElement, type ReactNode } from "react";
import { afterEach, describe, expect, test } from "vitest";
import { newQueryClient } from "@/api/queries";
import { appendPage, type Page, useAppendOnlyList } from "@/live/appendOnly";

interface Note {
  id: number;
  text: string;
}

const idOf = (note: Note) => note.id;
const note = (id: number, text = `note ${id}`): Note => ({ id, text });
const page = (items: Note[], total = items.length, more = false): Page<Note, number> => ({
  items,
  next: items.at(-1)?.id ?? null,
  more,
  total,
});

describe("a page that is appended", () => {
  test("comes after the items before it", () => {
    const list = appendPage({ items: [note(1)], next: 1, total: 1 }, page([note(2), note(3)], 3), idOf);

    expect(list).toEqual({ items: [note(1), note(2), note(3)], next: 3, total: 3 });
  });

  test("replaces items with the same id, in their place", () => {
    const list = appendPage({ items: [note(1), note(2)], next: 2, total: 2 }, page([note(1, "new")], 2), idOf);

    expect(list.items).toEqual([note(1, "new"), note(2)]);
  });

  test("changes nothing when it is empty: the list stays the same object, and the cursor where it was", () => {
    const items = [note(1)];

    const list = appendPage({ items, next: 1, total: 1 }, page([], 1), idOf);

    expect(list.items).toBe(items);
    expect(list.next).toBe(1);
  });

  test("never makes the total smaller than what is there", () => {
    expect(appendPage({ items: [note(1)], next: 1, total: 9 }, page([note(2)], 0), idOf).total).toBe(2);
  });
});

describe("an append-only list", () => {
  afterEach(cleanup);

  function reading(server: Note[], size: number) {
    const requested: (number | null)[] = [];
    const queries = newQueryClient();
    const wrapper = ({ children }: { children: ReactNode }) =>
      createElement(QueryClientProvider, { client: queries }, children);
    const read = async (after: number | null) => {
      requested.push(after);
      const rest = server.filter(({ id }) => id > (after ?? 0));
      return page(rest.slice(0, size), server.length, rest.length > size);
    };
    const { result } = renderHook(
      () => {
        const { data, isFetching } = useAppendOnlyList<Note, number>({ queryKey: ["notes"], idOf, read });
        return { items: data?.items, reading: isFetching };
      },
      { wrapper },
    );
    return { requested, queries, result };
  }

  test("is read whole, page by page", async () => {
    const server = [1, 2, 3, 4, 5].map((id) => note(id));

    const { requested, result } = reading(server, 2);
    await waitFor(() => expect(result.current.reading).toBe(false));

    expect(result.current.items).toEqual(server);
    expect(requested).toEqual([null, 2, 4]);
  });

  test("is read only from its end on after an event", async () => {
    const server = [note(1), note(2)];
    const { requested, queries, result } = reading(server, 10);
    await waitFor(() => expect(result.current.reading).toBe(false));

    server.push(note(3));
    await queries.invalidateQueries({ queryKey: ["notes"] });

    await waitFor(() => expect(result.current.items).toEqual(server));
    expect(requested).toEqual([null, 2]);
  });
});
