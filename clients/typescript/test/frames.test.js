import assert from "node:assert/strict";
import test from "node:test";
import { FrameReader } from "../dist/frames.js";

const TEXT =
  ': hello\nretry: 1000\nid: 4\n\nevent: a\ndata: {"x":\ndata: "ü€😀"}\nid: 5\n\ndata:no blank\n\nevent: empty\n\n';
const FRAMES = [
  { event: "message", data: "", id: "4" },
  { event: "a", data: '{"x":\n"ü€😀"}', id: "5" },
  { event: "message", data: "no blank", id: undefined },
];

for (const [name, ending] of [
  ["LF", "\n"],
  ["CR", "\r"],
  ["CRLF", "\r\n"],
]) {
  test(`frames are the same wherever the pieces break, with ${name}`, () => {
    // The last line break may be half of one until more comes.
    const bytes = new TextEncoder().encode(`${TEXT.replaceAll("\n", String(ending))}:`);
    for (let size = 1; size <= bytes.length; size++) {
      const reader = new FrameReader();
      const frames = [];
      for (let start = 0; start < bytes.length; start += size) {
        frames.push(...reader.read(bytes.subarray(start, start + size)));
      }
      assert.deepEqual(frames, FRAMES, `pieces of ${size}`);
    }
  });
}

test("a frame without an end is refused once it is too large", () => {
  const reader = new FrameReader();
  const piece = new TextEncoder().encode(`data: ${"x".repeat(1_048_576)}\n`);
  assert.throws(() => {
    for (let count = 0; count < 5; count++) {
      Array.from(reader.read(piece));
    }
  }, RangeError);
});
