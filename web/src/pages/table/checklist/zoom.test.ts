import { describe, expect, it } from "vitest";
import { BOX, drawn } from "@/pages/table/checklist/layout";
import { largePlan, task } from "@/pages/table/checklist/plans.testing";
import { bounded, fitting, opening, WORDLESS } from "@/pages/table/checklist/zoom";

const ROOM = { width: 900, height: 560 };

function inSight(count: number, plan = largePlan(count), focus = "t7", room = ROOM): number {
  const drawing = drawn(plan);
  const { scale, left, top } = opening(drawing, focus, room);
  const box = (id: string) => drawing.boxes.find((one) => one.id === id) ?? { left: -1, top: -1 };
  const seen = drawing.boxes.filter(
    (one) =>
      one.left * scale >= left &&
      (one.left + BOX.width) * scale <= left + room.width &&
      one.top * scale >= top &&
      (one.top + BOX.height) * scale <= top + room.height,
  );
  expect(seen).toContain(box(focus));
  expect(scale).toBeGreaterThan(WORDLESS);
  return seen.length;
}

describe("fitting a drawing into its room", () => {
  it("takes the tighter of width and height", () => {
    expect(fitting({ width: 1_000, height: 500 }, { width: 500, height: 400 })).toBe(0.5);
    expect(fitting({ width: 500, height: 1_000 }, { width: 500, height: 600 })).toBe(0.6);
  });

  it("never makes it larger than life", () => {
    expect(fitting({ width: 100, height: 100 }, { width: 900, height: 900 })).toBe(1);
  });

  it("has all of a large plan inside", () => {
    const drawing = drawn(largePlan(1_000));

    const scale = fitting(drawing, ROOM);

    expect(drawing.width * scale).toBeLessThanOrEqual(ROOM.width + 0.01);
    expect(drawing.height * scale).toBeLessThanOrEqual(ROOM.height + 0.01);
  });

  it("does not divide by a room that is not measured yet", () => {
    expect(fitting({ width: 100, height: 100 }, { width: 0, height: 0 })).toBe(1);
    expect(fitting({ width: 0, height: 0 }, { width: 100, height: 100 })).toBe(1);
  });

  it("keeps within what the buttons can reach", () => {
    expect(bounded(9)).toBe(2);
    expect(bounded(0.001)).toBe(0.01);
  });
});

describe("what is seen when the graph opens", () => {
  it.each([20, 300, 1_000])("is at least five of %i tasks, the one that matters among them", (count) => {
    expect(inSight(count)).toBeGreaterThanOrEqual(5);
  });

  it("is at least five tasks of a chain", () => {
    const chain = Array.from({ length: 20 }, (_, index) => task(index + 1, index === 0 ? [] : [index]));

    expect(inSight(20, chain)).toBeGreaterThanOrEqual(5);
  });

  it("is all of a plan that can be read whole", () => {
    const drawing = drawn([task(1), task(2, [1])]);

    expect(opening(drawing, "t2", ROOM)).toEqual({ scale: 1, left: 0, top: 0 });
  });
});
