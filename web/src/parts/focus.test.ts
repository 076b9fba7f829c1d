import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { AFTER_DIALOG, focusIfLost } from "@/parts/focus";

beforeEach(() => {
  vi.useFakeTimers();
  document.body.innerHTML = '<button id="moved"></button><button id="next"></button>';
});

afterEach(() => {
  vi.useRealTimers();
  document.body.replaceChildren();
});

it("brings the focus to a card that was drawn anew", () => {
  focusIfLost("moved");

  vi.advanceTimersByTime(AFTER_DIALOG);

  expect(document.activeElement?.id).toBe("moved");
});

it("leaves the focus with whoever has gone on meanwhile", () => {
  focusIfLost("moved");
  document.getElementById("next")?.focus();

  vi.advanceTimersByTime(AFTER_DIALOG);

  expect(document.activeElement?.id).toBe("next");
});
