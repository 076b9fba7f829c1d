import { describe, expect, it } from "vitest";
import { currentOf } from "@/pages/table/manuscript/viewport";

describe("the section that is read", () => {
  const tops: Record<string, number> = { intro: -900, costs: -20, soil: 240, plants: 800 };
  const topOf = (id: string) => tops[id] ?? 0;

  it("is the last that has begun above the line of reading", () => {
    expect(currentOf(["intro", "costs", "soil", "plants"], topOf, 250)).toBe("soil");
    expect(currentOf(["intro", "costs", "soil", "plants"], topOf, 200)).toBe("costs");
  });

  it("is the first while all of them are still below", () => {
    expect(currentOf(["soil", "plants"], topOf, 100)).toBe("soil");
  });

  it("is the last at the end of the draft", () => {
    expect(currentOf(["intro", "costs"], topOf, 100)).toBe("costs");
  });

  it("is none in an empty draft", () => {
    expect(currentOf([], topOf, 100)).toBeUndefined();
  });
});
