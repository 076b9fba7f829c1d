import type { ReactNode } from "react";
import styles from "@/pages/inbox/inbox.module.css";
import type { ReadingState } from "@/pages/inbox/reading";
import { Button } from "@/parts/Button";

interface Props {
  kind: "main" | "bad";
  act: "approve" | "deny";
  busy: boolean;
  reading: ReadingState;
  /** The id of the text that says why it cannot be pressed yet. */
  why: string;
  press: () => void;
  children: ReactNode;
}

/** Decides, once everything was in view. Until then it leads to what was not: by touch, by key and by ear alike. */
export function DecisionButton({ kind, act, busy, reading, why, press, children }: Props) {
  const { unread, readOn } = reading;
  return (
    <Button
      kind={kind}
      data-act={act}
      busy={busy}
      // Not `disabled`: a browser would not let anybody reach it, nor say why.
      {...(unread && { "aria-disabled": true, "aria-describedby": why, onClick: readOn })}
      {...(!unread && !busy && { onClick: press })}
    >
      {children}
    </Button>
  );
}

export function Unread({ id, what }: { id: string; what: string }) {
  return (
    <p id={id} className={styles.unread}>
      Read the {what} to the end first.
    </p>
  );
}
