import { describe, expect, test } from "vitest";
import { addressOf, columnsOf, costInWords, filterOf, sinceOf, tokensInWords } from "@/pages/costs/numbers";

const NOW = Date.parse("2026-03-10T15:00:00Z");

describe("the address", () => {
  test("keeps every filter", () => {
    const filter = { days: 7, measure: "tokens", agent: "ada & co", session: "sess_1" } as const;

    expect(filterOf(addressOf(filter).split("?")[1] ?? "")).toEqual(filter);
  });

  test("is short for what is usual, and ignores what is not there", () => {
    expect(addressOf(filterOf(""))).toBe("/costs");
    expect(filterOf("days=12&measure=weight")).toEqual({ days: 30, measure: undefined, agent: "", session: "" });
  });
});

describe("days", () => {
  test("a period begins with its first day by UTC", () => {
    expect(sinceOf(7, NOW)).toBe("2026-03-04");
    expect(sinceOf(0, NOW)).toBeUndefined();
  });

  test("a day without reports has a column too", () => {
    const row = { day: "2026-03-09", input_tokens: 1, output_tokens: 2, reports: 1 };

    const columns = columnsOf([row], 7, NOW);

    expect(columns.map(({ day }) => day)).toEqual([
      "2026-03-04",
      "2026-03-05",
      "2026-03-06",
      "2026-03-07",
      "2026-03-08",
      "2026-03-09",
      "2026-03-10",
    ]);
    expect(columns.filter((column) => column.row)).toEqual([{ day: "2026-03-09", row }]);
  });

  test("all time begins with the oldest report", () => {
    const rows = ["2026-03-09", "2026-03-08"].map((day) => ({ day, input_tokens: 1, output_tokens: 0, reports: 1 }));

    expect(columnsOf(rows, 0, NOW).map(({ day }) => day)).toEqual(["2026-03-08", "2026-03-09", "2026-03-10"]);
  });
});

test("small costs do not look like none", () => {
  expect([0, 0.0042, 0.25, 1234.5].map(costInWords)).toEqual(["0.00", "0.0042", "0.25", "1,234.50"]);
  expect(costInWords(undefined)).toBe("–");
  expect([950, 9_999, 1_234_567].map(tokensInWords)).toEqual(["950", "9,999", "1.2M"]);
});
