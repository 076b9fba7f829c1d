import type { ButtonHTMLAttributes, MouseEvent, ReactNode } from "react";

interface Props extends ButtonHTMLAttributes<HTMLButtonElement> {
  kind?: "main" | "bad" | "quiet" | "plain";
  small?: boolean;
  /** Shows that the action is under way and takes no second press. */
  busy?: boolean;
  children: ReactNode;
}

export function Button({ kind = "plain", small, busy = false, children, onClick, ...rest }: Props) {
  return (
    <button
      type="button"
      className="button"
      data-kind={kind}
      data-small={small || undefined}
      // Not `disabled`: a browser takes the focus from what is.
      aria-disabled={busy || undefined}
      aria-busy={busy || undefined}
      onClick={busy ? refuse : onClick}
      {...rest}
    >
      {busy && <span className="wheel" aria-hidden="true" />}
      {children}
    </button>
  );
}

function refuse(event: MouseEvent): void {
  event.preventDefault();
}
