import { describe, expect, it } from "vitest";
import { EMPTY, entryOf, isComplete, pairsOf, words } from "@/pages/gateway/entry";

describe("what a person types about an upstream", () => {
  it("is an address with headers", () => {
    const draft = { ...EMPTY, name: "docs", url: " https://docs.example/mcp ", values: "X-Team=a=b\n\n" };

    expect(entryOf(draft)).toEqual({ url: "https://docs.example/mcp", headers: { "X-Team": "a=b" } });
  });

  it("is a command with variables and a scope", () => {
    const command = { kind: "command" as const, command: "npx -y server /tmp", values: "KEY=word" };

    expect(entryOf({ ...EMPTY, name: "files", ...command, scope: "session" })).toEqual({
      command: "npx",
      args: ["-y", "server", "/tmp"],
      env: { KEY: "word" },
      scope: "session",
    });
  });

  it.each([
    ["run 'two words' \"and more\"", ["run", "two words", "and more"]],
    ['run --name="a b" c\\ d', ["run", "--name=a b", "c d"]],
    ['run "say \\"hi\\""', ["run", 'say "hi"']],
    ["  ", []],
  ])("splits %j into words as a shell does", (line, expected) => {
    expect(words(line)).toEqual(expected);
  });

  it("is complete with a name and an address or a command", () => {
    expect(isComplete({ ...EMPTY, name: "docs" })).toBe(false);
    expect(isComplete({ ...EMPTY, name: "docs", url: "https://docs.example" })).toBe(true);
    expect(isComplete({ ...EMPTY, name: "docs", kind: "command", url: "https://docs.example" })).toBe(false);
  });

  it("has no values where nothing is typed", () => {
    expect(pairsOf(" \n ")).toBeUndefined();
  });
});
