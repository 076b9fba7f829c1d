import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { Markdown } from "@/parts/Markdown";

afterEach(cleanup);

test("names of characters are read without any help of the page's own parser", () => {
  render(<Markdown text="Fish &amp; chips &mdash; &unheardof;" />);

  expect(screen.getByText("Fish & chips — &unheardof;")).toBeTruthy();
});

test("pictures are named and not fetched, and links say where they lead", () => {
  const { container } = render(<Markdown text="![a cat](https://example.org/cat.png) [read](https://example.org/)" />);

  expect(container.querySelector("img")).toBeNull();
  expect(container.textContent).toContain("Picture: a cat");
  for (const link of container.querySelectorAll("a")) expect(link.rel).toContain("noopener");
});

test("addresses that run something, and those within the console, stay text", () => {
  const { container } = render(<Markdown text={"[a](javascript:alert(1)) [b](#/gateway) <b onclick=x>c</b>"} />);

  expect(container.querySelector("a, b")).toBeNull();
});

test("what is nested deeper than anybody writes is shown as it is written", () => {
  const text = ">".repeat(5_000);

  const { container } = render(<Markdown text={text} />);

  expect(container.textContent).toBe(text);
});

test("headings of agents stand below those of the page", () => {
  const { container } = render(<Markdown text={"# One\n\n## Two"} />);

  expect([...container.querySelectorAll("h1, h2, h3, h4")].map((heading) => heading.tagName)).toEqual(["H3", "H4"]);
});

test("characters that turn the order of others around are spelled out, however they are written", () => {
  const { container } = render(<Markdown text={"pay \u202e`\u2066x` &#x202e;lmth.exe"} />);

  expect(container.textContent).toBe("pay U+202EU+2066x U+202Elmth.exe");
});
