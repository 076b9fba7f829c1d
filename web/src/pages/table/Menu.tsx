import { Popover } from "radix-ui";
import { createContext, type ReactNode, useContext, useRef, useState } from "react";
import styles from "@/pages/table/table.module.css";
import { Button } from "@/parts/Button";

type Choose = (act: () => void) => void;

const Context = createContext<Choose>((act) => act());

/** A few actions behind one small button. */
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
  const [open, setOpen] = useState(false);
  const trigger = useRef<HTMLButtonElement>(null);
  const chosen = useRef<(() => void) | null>(null);
  const choose: Choose = (act) => {
    chosen.current = act;
    setOpen(false);
  };
  // The button has the focus again before the action begins, so that a dialog which it opens gives it back there.
  const closed = (event: Event) => {
    const act = chosen.current;
    chosen.current = null;
    if (!act) return;
    event.preventDefault();
    trigger.current?.focus();
    act();
  };
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger
        ref={trigger}
        className="button"
        data-kind={small ? "quiet" : "plain"}
        data-small={small || undefined}
        aria-label={label}
      >
        {title}
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          className={styles.menu}
          align="end"
          sideOffset={4}
          collisionPadding={8}
          aria-label={label}
          onCloseAutoFocus={closed}
        >
          <Context value={choose}>{children}</Context>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

/** An entry of a menu, which closes it. */
export function Act({ act, children }: { act: () => void; children: ReactNode }) {
  const choose = useContext(Context);
  return (
    <Button kind="quiet" onClick={() => choose(act)}>
      {children}
    </Button>
  );
}
