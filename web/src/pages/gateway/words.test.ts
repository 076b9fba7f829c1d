import { expect, test } from "vitest";
import {
  bytes,
  duration,
  healthOf,
  limitsOf,
  outcomeOf,
  rate,
  sentence,
  titleOfLayer,
  wordOf,
} from "@/pages/gateway/words";

test("a layer is described by what happens to a call, and written as in the names of tools", () => {
  expect(titleOfLayer("governed")).toBe("Asks a person first");
  expect(titleOfLayer("run")).toBe("Asks a person first");
  expect(wordOf("primitive")).toBe("tool");
  expect(wordOf("something new")).toBe("something new");
});

test("an upstream that is switched off is shown as such, whatever its health", () => {
  expect(healthOf({ on: false, health: "ready" }).text).toBe("Switched off");
  expect(healthOf({ on: true, health: "open" })).toEqual({ text: "Paused after failures", tone: "bad" });
  expect(healthOf({ on: true, health: "dizzy" }).text).toBe("dizzy");
});

test("an outcome that is not known yet is shown by its code", () => {
  expect(outcomeOf("SUCCESS").tone).toBe("good");
  expect(outcomeOf("STORE_UNAVAILABLE")).toEqual({ text: "Store unavailable", tone: "bad" });
  expect(sentence("")).toBe("");
});

test.each([
  [512, "512 bytes"],
  [2048, "2 KiB"],
  [1_572_864, "1.5 MiB"],
  [2_147_483_648, "2 GiB"],
])("%d bytes are %s", (size, words) => {
  expect(bytes(size)).toBe(words);
});

test.each([
  [null, ""],
  [0.4, "under 1 ms"],
  [11.7, "12 ms"],
  [2_440, "2.4 s"],
])("%s milliseconds are shown as %s", (time, words) => {
  expect(duration(time)).toBe(words);
});

test("a rate is said by its span where there is a word for it", () => {
  expect(rate({ calls: 60, per_seconds: 60 })).toBe("60 a minute");
  expect(rate({ calls: 5, per_seconds: 10 })).toBe("5 in 10 s");
});

test("limits that do not exist are left out", () => {
  const limits = {
    timeout_seconds: null,
    max_concurrency: 16,
    max_response_bytes: null,
    memory_bytes: null,
    tool_rate: { calls: 60, per_seconds: 60 },
    caller_rate: null,
    tenant_rate: null,
  };

  expect(limitsOf(limits)).toEqual([
    ["Calls at a time", "16"],
    ["One tool, one caller", "60 a minute"],
  ]);
});
