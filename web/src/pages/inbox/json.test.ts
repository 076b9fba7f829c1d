import { describe, expect, test } from "vitest";
import { inLines, laidOut, readable, shortFirst, textOf as whole } from "@/pages/inbox/json";

const textOf = (json: string) => whole(laidOut(json));

describe("arguments laid out", () => {
  test.each([
    '{"a":1,"b":[true,null,{"c":"d"}],"e":{},"f":[]}',
    '{"to":["ann","bob"],"text":"a, b: {c} [d]"}',
    "[]",
    "{}",
    '"text"',
    "17",
  ])("are as JSON.stringify lays them out: %s", (json) => {
    expect(textOf(json)).toBe(JSON.stringify(JSON.parse(json), null, 2));
  });

  test("keep numbers that a program of the browser would round", () => {
    expect(textOf('{"amount":12345678901234567890,"rate":1.10}')).toBe(
      '{\n  "amount": 12345678901234567890,\n  "rate": 1.10\n}',
    );
  });

  test("keep every one of two equal keys", () => {
    expect(textOf('{"to":"ann","to":"eve"}')).toBe('{\n  "to": "ann",\n  "to": "eve"\n}');
  });

  test("tell keys from texts, also where a text looks like a key", () => {
    const kinds = laidOut('{"to":"\\"amount\\": 1","n":2}').filter(({ kind }) => kind !== "plain");

    expect(kinds).toEqual([
      { kind: "key", text: '"to"' },
      { kind: "text", text: '"\\"amount\\": 1"' },
      { kind: "key", text: '"n"' },
    ]);
  });

  test("break lines where the text does, and still say so", () => {
    expect(textOf('{"text":"Dear all,\\nbye"}')).toBe('{\n  "text": "Dear all,\\n\n    bye"\n}');
  });

  test("are whole, however long they are", () => {
    const json = JSON.stringify({ text: "x".repeat(300_000) });

    expect(textOf(json)).toContain("x".repeat(300_000));
  });
});

describe("arguments line by line", () => {
  const json = '{"text":"Dear all,\\nbye","to":[]}';

  test("are the same text", () => {
    const lines = inLines(laidOut(json)).map(({ pieces }) => whole(pieces));

    expect(lines.join("\n")).toBe(textOf(json));
  });

  test("know how far each line stands in", () => {
    expect(inLines(laidOut(json)).map(({ indent }) => indent)).toEqual([0, 2, 4, 2, 0]);
  });

  test("keep the kind of a text that goes over several lines", () => {
    expect(inLines(laidOut(json))[2]?.pieces.map(({ kind }) => kind)).toEqual(["text", "plain"]);
  });
});

describe("a readable text", () => {
  test("has its letters as letters", () => {
    expect(readable('"Gr\\u00fc\\u00dfe \\u4f60\\ud83c\\udf31"')).toBe('"Grüße 你🌱"');
  });

  test("has as characters what is spelled out when it is shown", () => {
    expect(readable('"a\\u200bb\\u202ec"')).toBe('"a\u200bb\u202ec"');
  });

  test.each(["\\u3164", "\\u00a0", "\\ufe0f", "\\ud800", "\\udb40\\udd01", "\\u0000", "\\u0041"])(
    "keeps %s written as it is: it would look like nothing, or like something else",
    (written) => {
      expect(readable(`"${written}"`)).toBe(`"${written}"`);
    },
  );

  test("does not take a backslash that is meant for the start of a letter", () => {
    expect(readable('"\\\\u00fc"')).toBe('"\\\\u00fc"');
  });
});

describe("short arguments", () => {
  test("stand before long ones, and nothing is lost", () => {
    const long = "word ".repeat(40);
    const json = `{"body":"${long}","cc":{"a":[1,2]},"lines":"a\\nb","to":"ann"}`;

    expect(shortFirst(json)).toBe(`{"cc":{"a":[1,2]},"to":"ann","body":"${long}","lines":"a\\nb"}`);
  });

  test.each(["[1,2]", "{}", '"text"', '{"a":1}'])("leave anything else as it is: %s", (json) => {
    expect(shortFirst(json)).toBe(json);
  });
});
