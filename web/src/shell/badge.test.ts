import { beforeEach, expect, test } from "vitest";
import { iconWith, showCount } from "@/shell/badge";

let icon: HTMLLinkElement;

beforeEach(() => {
  icon = document.createElement("link");
  icon.rel = "icon";
  document.head.replaceChildren(icon);
});

test("the title counts what waits, before anything else", () => {
  showCount(3, "Inbox");

  expect(document.title).toBe("(3) Inbox · Longtable");
});

test("the title counts nothing when nothing waits", () => {
  showCount(3, "Inbox");
  showCount(0, "Sessions");

  expect(document.title).toBe("Sessions · Longtable");
});

test("the icon shows the number, and is the plain one again afterwards", () => {
  showCount(2, "Inbox");
  const counting = decodeURIComponent(icon.href);
  showCount(0, "Inbox");

  expect(counting).toContain(">2</text>");
  expect(new URL(icon.href).pathname).toBe("/favicon.svg");
});

test("a number that does not fit is said to be more than nine", () => {
  expect(iconWith(9)).toContain(">9</text>");
  expect(iconWith(10)).toContain(">9+</text>");
});

test("a page without an icon has its title all the same", () => {
  document.head.replaceChildren();

  showCount(1, "Inbox");

  expect(document.title).toBe("(1) Inbox · Longtable");
});
