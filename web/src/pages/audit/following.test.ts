import { expect, test } from "vitest";
import { type AuditRecord, withNewer } from "@/pages/audit/following";

const record = (seq: number) => ({ seq }) as AuditRecord;
const page = (...seqs: number[]) => ({ entries: seqs.map(record), count: seqs.length, next_cursor: "older" });

test("newer records stand before the first page, and what was read stays", () => {
  const data = { pages: [page(9, 8), page(7)], pageParams: ["", "c"] };

  const followed = withNewer(data as never, [record(11), record(10), record(9)]);

  expect(followed?.pages.map(({ entries }) => entries.map(({ seq }) => seq))).toEqual([[11, 10, 9, 8], [7]]);
  expect(followed?.pageParams).toEqual(["", "c"]);
});

test("nothing newer changes nothing", () => {
  const data = { pages: [page(9)], pageParams: [""] };

  expect(withNewer(data as never, [])).toBe(data);
  expect(withNewer(undefined, [record(1)])).toBeUndefined();
});
