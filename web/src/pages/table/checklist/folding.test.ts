import { describe, expect, it } from "vitest";
import { folded, relatives, unfolded } from "@/pages/table/checklist/folding";
import { task } from "@/pages/table/checklist/plans.testing";

const done = (number: number, after: number[] = []) => task(number, after, "completed");

describe("finished chains", () => {
  it("become one box, tied to what stays", () => {
    const plan = [done(1), done(2, [1]), done(3, [2]), done(4, [3]), done(5, [4]), task(6, [5]), task(7, [1])];

    const blocks = folded(plan);

    expect(blocks.map((block) => [block.id, block.depends_on])).toEqual([
      ["t1", []],
      ["finished-t2", ["t1"]],
      ["t5", ["finished-t2"]],
      ["t6", ["t5"]],
      ["t7", ["t1"]],
    ]);
  });

  it("leave the task that open work waited for in sight", () => {
    const plan = [done(1), done(2, [1]), done(3, [2]), done(4, [3]), task(5, [4])];

    const blocks = folded(plan);

    expect(blocks.map((block) => [block.id, block.depends_on])).toEqual([
      ["finished-t1", []],
      ["t4", ["finished-t1"]],
      ["t5", ["t4"]],
    ]);
  });

  it("are not folded where there is little to fold", () => {
    const plan = [done(1), done(2, [1]), task(3)];

    expect(folded(plan)).toEqual(unfolded(plan));
  });

  it("fold each by itself, and count every task once", () => {
    const plan = [done(1), done(2, [1]), done(3, [2]), done(11), done(12, [11]), done(13, [12]), task(20)];

    const blocks = folded(plan);

    expect(blocks.map((block) => block.id)).toEqual(["finished-t1", "finished-t11", "t20"]);
    expect(blocks.flatMap((block) => block.tasks).length).toBe(plan.length);
  });
});

describe("what a task has to do with", () => {
  it("is everything before it and everything after it", () => {
    const plan = unfolded([task(1), task(2, [1]), task(3, [2]), task(4, [1]), task(5, [3])]);

    expect([...relatives(plan, "t2")].sort()).toEqual(["t1", "t2", "t3", "t5"]);
  });
});
