import { describe, expect, it } from "vitest";
import { bounded, fitting } from "@/pages/table/checklist/zoom";

describe("fitting a drawing into its room", () => {
  it("takes the tighter of width and height", () => {
    expect(fitting({ width: 1_000, height: 500 }, { width: 500, height: 400 })).toBe(0.5);
    expect(fitting({ width: 500, height: 1_000 }, { width: 500, height: 600 })).toBe(0.6);
  });

  it("never makes it larger than life", () => {
    expect(fitting({ width: 100, height: 100 }, { width: 900, height: 900 })).toBe(1);
  });

  it("never makes it so small that nobody can read it", () => {
    expect(fitting({ width: 100_000, height: 100 }, { width: 500, height: 500 })).toBe(0.3);
  });

  it("does not divide by a room that is not measured yet", () => {
    expect(fitting({ width: 100, height: 100 }, { width: 0, height: 0 })).toBe(1);
    expect(fitting({ width: 0, height: 0 }, { width: 100, height: 100 })).toBe(1);
  });

  it("keeps within what the buttons can reach", () => {
    expect(bounded(9)).toBe(2);
    expect(bounded(0.01)).toBe(0.3);
  });
});
