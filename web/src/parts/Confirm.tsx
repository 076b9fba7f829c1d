import type { ReactNode } from "react";
import { Button } from "@/parts/Button";
import { Dialog } from "@/parts/Dialog";
import { Problem } from "@/parts/Notice";

/** Asks for a confirmation before something that affects others. */
export function Confirm({
  open,
  close,
  title,
  about,
  action,
  kind = "main",
  busy,
  problem,
  act,
  children,
}: {
  open: boolean;
  close: () => void;
  title: string;
  about: ReactNode;
  action: string;
  kind?: "main" | "bad";
  busy: boolean;
  problem: unknown;
  act: () => void;
  children?: ReactNode;
}) {
  return (
    <Dialog open={open} close={close} title={title} about={about}>
      <div className="stack">
        {children}
        {problem ? <Problem of={problem} /> : null}
      </div>
      <div className="dialog-acts">
        <Button onClick={close}>Cancel</Button>
        <Button kind={kind} busy={busy} onClick={act}>
          {action}
        </Button>
      </div>
    </Dialog>
  );
}
