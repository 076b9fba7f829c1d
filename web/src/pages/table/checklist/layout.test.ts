import { describe, expect, it } from "vitest";
import { BOX, type Box, curve, drawn, shapeOf } from "@/pages/table/checklist/layout";
import { largePlan, task } from "@/pages/table/checklist/plans.testing";

function overlaps(boxes: Box[]): string[] {
  return boxes.flatMap((a, index) =>
    boxes
      .slice(index + 1)
      .filter((b) => Math.abs(a.left - b.left) < BOX.width && Math.abs(a.top - b.top) < BOX.height)
      .map((b) => `${a.id} and ${b.id}`),
  );
}

describe("the drawing of a plan", () => {
  it("shows every task once, and no two on top of each other", () => {
    const plan = largePlan(120);

    const { boxes } = drawn(plan);

    expect(boxes.map((box) => box.id).sort()).toEqual(plan.map((one) => one.id).sort());
    expect(overlaps(boxes)).toEqual([]);
  });

  it("keeps everything within its own bounds", () => {
    const { boxes, width, height } = drawn([task(1), task(2, [1]), task(3), task(4), task(5), task(6), task(7)]);

    expect(boxes.every((box) => box.left >= 0 && box.top >= 0)).toBe(true);
    expect(boxes.every((box) => box.left + BOX.width <= width && box.top + BOX.height <= height)).toBe(true);
  });

  it("shows every dependency as an arrow", () => {
    const plan = largePlan(60);

    const { arrows } = drawn(plan);

    const expected = plan.flatMap((one) => one.depends_on.map((from) => `${from}>${one.id}`));
    expect(arrows.map((arrow) => `${arrow.from}>${arrow.to}`)).toEqual(expected);
    expect(arrows.every((arrow) => arrow.path.startsWith("M"))).toBe(true);
  });

  it("leads every arrow to the right, so that nothing can go in a circle", () => {
    const { boxes, arrows } = drawn(largePlan(60));

    const left = new Map(boxes.map((box) => [box.id, box.left]));
    expect(arrows.filter(({ from, to }) => (left.get(from) ?? 0) >= (left.get(to) ?? 0))).toEqual([]);
  });

  it("leads an arrow from the right side of one task to the left side of the next", () => {
    const { boxes, arrows } = drawn([task(1), task(2, [1]), task(3, [1]), task(4, [1, 2])]);

    const middle = (id: string, side: 0 | 1) => {
      const box = boxes.find((one) => one.id === id) ?? { left: 0, top: 0 };
      return `${box.left + side * BOX.width} ${box.top + BOX.height / 2}`;
    };
    for (const { from, to, path } of arrows) {
      expect(path.startsWith(`M${middle(from, 1)}C`)).toBe(true);
      expect(path.endsWith(` ${middle(to, 0)}`)).toBe(true);
    }
  });

  it("leaves out an arrow from a task that is not drawn", () => {
    const { arrows } = drawn([task(2, [1]), task(3, [2])]);

    expect(arrows.map((arrow) => `${arrow.from}>${arrow.to}`)).toEqual(["t2>t3"]);
  });

  it("puts tasks without ties into rows instead of one long column", () => {
    const { width, height } = drawn(Array.from({ length: 40 }, (_, index) => task(index + 1)));

    expect(height).toBeLessThan(1_200);
    expect(width).toBeGreaterThan(3 * BOX.width);
  });

  it("is empty for an empty plan", () => {
    expect(drawn([])).toEqual({ boxes: [], arrows: [], width: 0, height: 0 });
  });

  it("is ready in time for a thousand tasks, none on top of another, each right of what it waits for", () => {
    const plan = largePlan(1_000);

    const took = [1, 2, 3].map(() => {
      const began = process.cpuUsage();
      drawn(plan);
      return process.cpuUsage(began).user / 1_000;
    });

    // 50 ms on a quiet machine, with the slack that a noisy one needs; of its own time, whatever else runs.
    expect(Math.min(...took)).toBeLessThan(500);
    const { boxes, arrows } = drawn(plan);
    const left = new Map(boxes.map((box) => [box.id, box.left]));
    expect(overlaps(boxes)).toEqual([]);
    expect(arrows.filter(({ from, to }) => (left.get(from) ?? 0) >= (left.get(to) ?? 0))).toEqual([]);
  });
});

describe("what is drawn", () => {
  it("does not move when only a status changes", () => {
    expect(shapeOf([task(1), task(2, [1])])).toBe(shapeOf([task(1, [], "completed"), task(2, [1])]));
  });
});

describe("an arrow", () => {
  it("goes through all of its points", () => {
    const points = [
      { x: 0, y: 0 },
      { x: 10, y: 4 },
      { x: 20, y: 4 },
    ];

    expect(curve(points)).toBe("M0 0C5 0 5 4 10 4C15 4 15 4 20 4");
  });
});
