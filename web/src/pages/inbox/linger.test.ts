import { expect, test } from "vitest";
import { type Item, sorted } from "@/pages/inbox/data";
import { type Outcome, overtaken, withKept } from "@/pages/inbox/linger";

const [prototype] = sorted([], [], [{ upstream: "u", tool: "t", digest: "d", first_seen_at: "1" } as never]);

function items(...ids: string[]): Item[] {
  return ids.map((id) => ({ ...(prototype as Item), id }));
}

const listed = (...ids: string[]) => withKept([], items(...ids), () => false);
const summary = (list: ReturnType<typeof withKept>) => list.map(({ item, gone }) => (gone ? `(${item.id})` : item.id));

test("what leaves the list is gone", () => {
  expect(summary(withKept(listed("a", "b", "c"), items("a", "c"), () => false))).toEqual(["a", "c"]);
});

test("what is kept stays where it was", () => {
  expect(summary(withKept(listed("a", "b", "c"), items("a", "c"), (id) => id === "b"))).toEqual(["a", "(b)", "c"]);
});

test("what is kept stays first if it was, before what has come since", () => {
  expect(summary(withKept(listed("a", "b"), items("new", "b"), () => true))).toEqual(["(a)", "new", "b"]);
});

test("several that are kept stay in their order", () => {
  expect(summary(withKept(listed("a", "b", "c", "d"), items("d"), () => true))).toEqual(["(a)", "(b)", "(c)", "d"]);
});

test("what is kept no longer leaves with the next change", () => {
  const kept = withKept(listed("a", "b"), items("b"), () => true);

  expect(summary(withKept(kept, items("b", "c"), () => false))).toEqual(["b", "c"]);
});

test("what comes back is not gone any more", () => {
  const kept = withKept(listed("a", "b"), items("b"), () => true);

  expect(summary(withKept(kept, items("a", "b"), () => true))).toEqual(["a", "b"]);
});

test("what somebody else decided while it was held here is known to be lost", () => {
  const held = (until: number): Outcome => ({ text: "Yes", tone: "held", hold: { id: "h", until, typed: "" } });
  const outcomes = new Map([
    ["waits", held(5_000)],
    ["faster", held(5_000)],
    ["released", held(1_000)],
  ]);

  expect(overtaken(outcomes, items("waits"), 1_000)).toEqual(["faster"]);
});
