import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { focusAway, holdsFocus, ignoreSecondTap, press } from "@/pages/inbox/cards";

/** Cards as the page has them: a head, and what one decides with. */
function card(id: string, controls: string, done = false): string {
  return `<article data-card="${id}"${done ? ' data-done="true"' : ""}><h2 tabindex="-1" data-card-head>${id}</h2>${controls}</article>`;
}

const QUESTION =
  '<button data-option="1">Yes</button><button data-option="2">No</button><textarea aria-label="Your answer"></textarea>';
const APPROVAL = '<input /><button data-act="approve">Approve</button><button data-act="deny">Deny</button>';

function open(...cards: string[]) {
  document.body.innerHTML = `<main id="content" tabindex="-1">${cards.join("")}</main>`;
}

function key(name: string, more: KeyboardEventInit = {}) {
  const event = new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true, ...more });
  Object.defineProperty(event, "target", { value: document.activeElement ?? document.body });
  press(event);
}

const focused = () => document.activeElement?.textContent;

beforeEach(() => {
  Element.prototype.scrollIntoView = vi.fn();
  open(card("a", QUESTION), card("b", APPROVAL), card("c", QUESTION));
});

describe("keys", () => {
  test("j goes to the first card, then from one to the next, k back", () => {
    key("j");
    key("j");
    key("j");
    key("k");

    expect(focused()).toBe("b");
  });

  test("k at the first card and j at the last stay there", () => {
    key("j");
    key("k");
    expect(focused()).toBe("a");

    for (let step = 0; step < 5; step += 1) key("j");
    expect(focused()).toBe("c");
  });

  test("the arrows move between cards only from a head", () => {
    key("j");
    key("ArrowDown");
    expect(focused()).toBe("b");

    document.querySelector<HTMLElement>("[data-act=approve]")?.focus();
    key("ArrowDown");
    expect(focused()).toBe("Approve");
  });

  test("Enter on a head goes into the card", () => {
    key("j");
    key("Enter");

    expect(focused()).toBe("Yes");
  });

  test("a number chooses the option of the card that one is at", () => {
    const chosen = vi.fn();
    document.addEventListener("click", (event) => chosen((event.target as Element).textContent), { once: true });

    key("j");
    key("2");

    expect(chosen).toHaveBeenCalledExactlyOnceWith("No");
  });

  test("a and d reach for approve and deny, and press neither", () => {
    const pressed = vi.fn();
    document.addEventListener("click", pressed);
    key("j");
    key("j");

    key("a");
    expect(focused()).toBe("Approve");
    key("d");
    expect(focused()).toBe("Deny");
    expect(pressed).not.toHaveBeenCalled();
  });

  test("are letters in a text field", () => {
    const field = document.querySelector("textarea");
    field?.focus();

    key("j");
    key("1");

    expect(document.activeElement).toBe(field);
  });

  test("mean something else with Ctrl", () => {
    key("j", { ctrlKey: true });

    expect(focused()).not.toBe("a");
  });

  test("do nothing behind a dialog", () => {
    document.body.insertAdjacentHTML("beforeend", "<dialog open></dialog>");

    key("j");

    expect(focused()).not.toBe("a");
  });
});

describe("the focus leaves a card that is done", () => {
  test("for the next one", () => {
    focusAway("a");

    expect(holdsFocus("b")).toBe(true);
  });

  test("for the one before, at the end", () => {
    focusAway("c");

    expect(holdsFocus("b")).toBe(true);
  });

  test("and passes over others that are done", () => {
    open(card("a", ""), card("b", "", true), card("c", ""));

    focusAway("a");

    expect(holdsFocus("c")).toBe(true);
  });

  test("for the page when nothing is left", () => {
    open(card("a", ""));

    focusAway("a");

    expect(document.activeElement?.id).toBe("content");
  });
});

describe("just after a decision", () => {
  const pressed = vi.fn();
  const approve = () => document.querySelector<HTMLElement>("[data-act=approve]");
  const at = (x: number) => ({ bubbles: true, cancelable: true, detail: 1, clientX: x, clientY: 700 });
  const tap = (x: number) => approve()?.dispatchEvent(new MouseEvent("click", at(x)));

  beforeEach(() => {
    vi.useFakeTimers();
    pressed.mockClear();
    approve()?.addEventListener("click", pressed);
    document.dispatchEvent(new MouseEvent("pointerdown", at(100)));
    ignoreSecondTap();
  });
  afterEach(() => {
    vi.runAllTimers();
    vi.useRealTimers();
  });

  test("a second tap at the same place decides nothing else", () => {
    tap(104);

    expect(pressed).not.toHaveBeenCalled();
  });

  test("a tap elsewhere does", () => {
    tap(300);

    expect(pressed).toHaveBeenCalledOnce();
  });

  test("a key does", () => {
    approve()?.click();

    expect(pressed).toHaveBeenCalledOnce();
  });

  test("and a moment later the same tap does again", () => {
    vi.advanceTimersByTime(600);
    tap(104);

    expect(pressed).toHaveBeenCalledOnce();
  });
});
