import { expect, it } from "vitest";
import { openQuestionsText } from "@/pages/table/openQuestions";

it.each([
  [1, 0, "1 question waits for an answer.", "1 question waits"],
  [1, 1, "1 question waits for an answer, and work stands still.", "1 question waits, blocking"],
  [3, 1, "3 questions wait for an answer, 1 of them blocks the work.", "3 questions wait, 1 blocking"],
  [3, 2, "3 questions wait for an answer, 2 of them block the work.", "3 questions wait, 2 blocking"],
])("%i questions, of which %i block, are described at length and in brief", (open, blocking, long, brief) => {
  expect(openQuestionsText(open, blocking, false)).toBe(long);
  expect(openQuestionsText(open, blocking, true)).toBe(brief);
});
