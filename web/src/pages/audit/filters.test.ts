import { expect, test } from "vitest";
import {
  chainInWords,
  isFiltered,
  isOnlyALook,
  NO_FILTERS,
  outcomeInWords,
  queryOf,
  typeInWords,
} from "@/pages/audit/filters";

test("empty fields ask for nothing", () => {
  expect(queryOf({ ...NO_FILTERS, agent_id: "  " })).toEqual({});
  expect(isFiltered(NO_FILTERS)).toBe(false);
});

test("a type may be typed as it is shown", () => {
  expect(queryOf({ ...NO_FILTERS, event_type: "Note added" })).toEqual({ event_type: "note_added" });
});

test("a local time is sent with its zone, and what is no time not at all", () => {
  const query = queryOf({ ...NO_FILTERS, since: "2026-01-31T12:00", until: "soon" });

  expect(query).toEqual({ since: new Date(2026, 0, 31, 12).toISOString() });
});

test("types and outcomes are shown in words", () => {
  expect(typeInWords("section_written")).toBe("Section written");
  expect(outcomeInWords("SUCCESS")).toBe("Done");
  expect(outcomeInWords("VERSION_CONFLICT")).toBe("Version conflict");
});

test("the state of the chain is one sentence", () => {
  expect(chainInWords({ holds: true, records: 4812, broken_at: null, problem: null })).toBe(
    "4,812 records, the chain holds.",
  );
  expect(chainInWords({ holds: true, records: 1, broken_at: null, problem: null })).toBe("1 record, the chain holds.");
  expect(chainInWords({ holds: false, records: 9, broken_at: 7, problem: "Its digest does not fit." })).toBe(
    "The chain breaks at record 7: Its digest does not fit.",
  );
});

test("a read that was allowed differs from a change and from a refusal", () => {
  expect(isOnlyALook({ event_type: "questions_read", outcome: "SUCCESS" })).toBe(true);
  expect(isOnlyALook({ event_type: "questions_read", outcome: "FORBIDDEN" })).toBe(false);
  expect(isOnlyALook({ event_type: "note_added", outcome: "SUCCESS" })).toBe(false);
});
