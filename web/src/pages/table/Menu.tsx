import { createContext, type ReactNode, useContext, useId, useRef } from "react";
import styles from "@/pages/table/table.module.css";
import { Button } from "@/parts/Button";
import { copied } from "@/parts/Copy";
import { useToast } from "@/parts/Toasts";

type Choose = (act: () => void) => void;

const MenuContext = createContext<Choose>((act) => act());
const MARGIN = 8;

/** A few actions behind one small button. The browser closes it with Escape, or when somebody presses elsewhere. */
export function Menu({
  label,
  title,
  small = false,
  children,
}: {
  /** Its accessible name. */
  label: string;
  title: ReactNode;
  small?: boolean;
  children: ReactNode;
}) {
  const id = useId();
  const trigger = useRef<HTMLButtonElement>(null);
  const box = useRef<HTMLDivElement>(null);
  // The button has the focus again before the action begins, so that a dialog which it opens gives it back there.
  const choose: Choose = (act) => {
    box.current?.hidePopover();
    trigger.current?.focus();
    act();
  };
  return (
    <>
      <button
        ref={trigger}
        type="button"
        className="button"
        data-kind={small ? "quiet" : "plain"}
        data-small={small || undefined}
        aria-label={label}
        aria-haspopup="dialog"
        popoverTarget={id}
      >
        {title}
      </button>
      <div
        ref={box}
        id={id}
        popover="auto"
        role="dialog"
        aria-label={label}
        className={styles.menu}
        onToggle={(event) => event.newState === "open" && place(event.currentTarget, trigger.current)}
      >
        <MenuContext value={choose}>{children}</MenuContext>
      </div>
    </>
  );
}

/** Under its button and flush with its end; above it where there is no room below. */
function place(box: HTMLElement, trigger: HTMLElement | null): void {
  const at = trigger?.getBoundingClientRect();
  if (!at) return;
  const { offsetWidth: width, offsetHeight: height } = box;
  const below = at.bottom + MARGIN / 2;
  const fits = below + height + MARGIN <= innerHeight;
  box.style.left = `${Math.max(MARGIN, Math.min(at.right, innerWidth - MARGIN) - width)}px`;
  box.style.top = `${fits ? below : Math.max(MARGIN, at.top - height - MARGIN / 2)}px`;
  box.querySelector<HTMLElement>("button, a")?.focus();
}

/** An entry of a menu, which closes it. */
export function MenuItem({ act, children }: { act: () => void; children: ReactNode }) {
  const choose = useContext(MenuContext);
  return (
    <Button kind="quiet" onClick={() => choose(act)}>
      {children}
    </Button>
  );
}

/** Puts a text into the clipboard, and says so. */
export function CopyItem({ text, children }: { text: string; children: ReactNode }) {
  const say = useToast();
  const copy = async () => say((await copied(text)) ? "Copied." : "The browser does not let this page copy.");
  return <MenuItem act={() => void copy()}>{children}</MenuItem>;
}

/** A path of the console as an address that can be sent to somebody. */
export function linkTo(path: string): string {
  return `${location.origin}${path}`;
}
