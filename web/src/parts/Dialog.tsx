import { X } from "lucide-react";
import { type MouseEvent, type ReactNode, type SyntheticEvent, useEffect, useId, useRef } from "react";
import { createPortal } from "react-dom";
import { Button } from "@/parts/Button";

interface Props {
  close: () => void;
  title: string;
  about?: ReactNode;
  children: ReactNode;
}

/** Takes the focus, gives it back, closes with Escape or a press beside it. */
export function Dialog({ open, ...props }: Props & { open: boolean }) {
  return open ? createPortal(<ModalDialog {...props} />, document.body) : null;
}

/** The browser's own dialog: it holds the focus and hides the page behind it from everybody, without a style of ours. */
function ModalDialog({ close, title, about, children }: Props) {
  const box = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = box.current;
    const opener = document.activeElement;
    dialog?.showModal();
    return () => {
      dialog?.close();
      giveFocusTo(opener);
    };
  }, []);
  const cancelled = (event: SyntheticEvent) => {
    event.preventDefault();
    close();
  };
  const pressed = (event: MouseEvent) => {
    if (event.target === box.current && isBeside(event, box.current)) close();
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape does what a press beside it does
    <dialog
      ref={box}
      className="dialog"
      aria-labelledby={id}
      aria-describedby={about ? `${id}-about` : undefined}
      onCancel={cancelled}
      onClick={pressed}
    >
      <header>
        <div>
          <h2 id={id}>{title}</h2>
          {about && (
            <p id={`${id}-about`} className="soft small">
              {about}
            </p>
          )}
        </div>
        <Button kind="quiet" small aria-label="Close" onClick={close}>
          <X size={18} aria-hidden="true" />
        </Button>
      </header>
      {children}
    </dialog>
  );
}

/** What had the focus before may be gone: then the page itself, so that the next Tab does not start from its top. */
function giveFocusTo(opener: Element | null): void {
  const back = opener?.isConnected && opener !== document.body ? opener : document.getElementById("content");
  if (back instanceof HTMLElement) back.focus();
}

function isBeside(event: MouseEvent, dialog: HTMLElement): boolean {
  const { left, right, top, bottom } = dialog.getBoundingClientRect();
  return event.clientX < left || event.clientX > right || event.clientY < top || event.clientY > bottom;
}
