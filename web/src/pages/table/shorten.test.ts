import { describe, expect, it } from "vitest";
import { shortened } from "@/pages/table/shorten";

describe("a text cut short", () => {
  it("stays as it is when it is short enough", () => {
    expect(shortened("A few words", 20)).toBe("A few words");
  });

  it("ends between words", () => {
    expect(shortened("one two three four five", 15)).toBe("one two three …");
  });

  it("is cut within a word when there is no space", () => {
    expect(shortened("x".repeat(50), 10)).toBe(`${"x".repeat(10)} …`);
  });

  it("closes a block of code that it cuts open", () => {
    expect(shortened("See:\n```py\nprint(1)\nprint(2)\nprint(3)\n```", 25)).toMatch(/^See:\n```py\nprint\(1\)\n```$/);
  });

  it("leaves a closed block of code alone", () => {
    expect(shortened(`\`\`\`\na\n\`\`\`\n${"word ".repeat(20)}`, 40)).toMatch(/word …$/);
  });

  it("does not cut a character in half", () => {
    expect(shortened("😀".repeat(10), 5)).toBe("😀😀 …");
  });
});
