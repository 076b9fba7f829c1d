import { expect, test } from "vitest";
import { distance } from "@/parts/Time";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

test.each([
  [DAY - 3_000, "in 24 hr."],
  [31 * MINUTE, "in 31 min."],
  [HOUR, "in 60 min."],
  [2 * HOUR - 3_000, "in 2 hr."],
  [35 * HOUR, "in 35 hr."],
  [36 * HOUR, "in 2 days"],
  [47 * HOUR, "in 2 days"],
  [2 * DAY - 3_000, "in 2 days"],
  [16 * DAY, "in 16 days"],
  [MINUTE, "in 1 min."],
  [30_000, "in under a minute"],
  [5_000, "just now"],
])("the time left is shown in the largest unit: %i ms", (gap, words) => {
  expect(distance(gap, 0)).toBe(words);
});

test.each([
  [30_000, "just now"],
  [119_000, "1 min. ago"],
  [HOUR - 1, "59 min. ago"],
  [DAY + HOUR, "yesterday"],
  [3 * DAY, "3 days ago"],
])("the time passed is shown in whole units: %i ms", (gap, words) => {
  expect(distance(-gap, 0)).toBe(words);
});
