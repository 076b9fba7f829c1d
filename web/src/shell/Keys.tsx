import { useEffect, useRef } from "react";
import { useLocation } from "wouter";
import { Dialog } from "@/parts/Dialog";
import { pages } from "@/shell/pages";

const TYPING = "input:not([type=radio], [type=checkbox]), textarea, select, [contenteditable], [role=slider]";
/** How long after a `g` the second key counts. */
const PAUSE = 1_500;

/** Ctrl+K finds anything, also while somebody types; but no other dialog makes way for it. */
function usePaletteKey(find: () => void): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const meant = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
      if (!meant || event.key.toLowerCase() !== "k") return;
      event.preventDefault();
      if (document.querySelector("dialog[open]") === null) find();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, [find]);
}

/** `g` and a letter goes to a page, `/` to the search of this one, `?` shows the keys, Ctrl+K finds anything. */
export function useKeys(help: () => void, find: () => void): void {
  usePaletteKey(find);
  const [, go] = useLocation();
  const pressed = useRef(0);
  useEffect(() => {
    const acts: Record<string, () => void> = {
      "?": help,
      "/": () => document.querySelector<HTMLElement>("[data-search]")?.focus(),
    };
    const onKeyDown = (event: KeyboardEvent) => {
      if (isMeantForSomethingElse(event)) return;
      const page = pages.find((candidate) => candidate.key === event.key);
      const second = Date.now() - pressed.current < PAUSE;
      pressed.current = event.key === "g" ? Date.now() : 0;
      const act = page && second ? () => go(page.path) : acts[event.key];
      if (!act) return;
      event.preventDefault();
      act();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, [go, help]);
}

function isMeantForSomethingElse(event: KeyboardEvent): boolean {
  const typing = event.target instanceof Element && event.target.closest(TYPING) !== null;
  return (
    event.ctrlKey ||
    event.metaKey ||
    event.altKey ||
    typing ||
    document.querySelector("dialog[open], [popover]:popover-open") !== null
  );
}

export function KeyHelp({ open, close }: { open: boolean; close: () => void }) {
  return (
    <Dialog open={open} close={close} title="Keys">
      <table>
        <tbody>
          <tr>
            <td>
              <kbd>Ctrl</kbd> <kbd>K</kbd>
            </td>
            <td>Go anywhere, do or find anything</td>
          </tr>
          {pages.map((page) => (
            <tr key={page.path}>
              <td>
                <kbd>g</kbd> <kbd>{page.key}</kbd>
              </td>
              <td>{page.title}</td>
            </tr>
          ))}
          <tr>
            <td>
              <kbd>/</kbd>
            </td>
            <td>Search on this page</td>
          </tr>
          <tr>
            <td>
              <kbd>j</kbd> <kbd>k</kbd>
            </td>
            <td>Next and previous decision of the inbox</td>
          </tr>
          <tr>
            <td>
              <kbd>1</kbd> to <kbd>9</kbd>
            </td>
            <td>Give that answer to the decision you are at</td>
          </tr>
          <tr>
            <td>
              <kbd>a</kbd> <kbd>d</kbd>
            </td>
            <td>Go to its buttons to approve and to deny</td>
          </tr>
          <tr>
            <td>
              <kbd>z</kbd>
            </td>
            <td>Undo what you have just decided, within five seconds</td>
          </tr>
          <tr>
            <td>
              <kbd>?</kbd>
            </td>
            <td>These keys</td>
          </tr>
        </tbody>
      </table>
    </Dialog>
  );
}
