import { X } from "lucide-react";
import { Dialog as Radix } from "radix-ui";
import { type ReactNode, useRef } from "react";
import { Button } from "@/parts/Button";

/** Takes the focus, gives it back, closes with Escape. */
export function Dialog({
  open,
  close,
  title,
  about,
  children,
}: {
  open: boolean;
  close: () => void;
  title: string;
  about?: ReactNode;
  children: ReactNode;
}) {
  const opener = useRef<Element>(null);
  const giveBack = (event: Event) => {
    event.preventDefault();
    const back = opener.current?.isConnected ? opener.current : document.getElementById("content");
    if (back instanceof HTMLElement) back.focus();
  };
  return (
    <Radix.Root open={open} onOpenChange={(next) => !next && close()}>
      <Radix.Portal>
        <Radix.Overlay className="dialog-veil" />
        <Radix.Content
          className="dialog"
          onOpenAutoFocus={() => {
            opener.current = document.activeElement;
          }}
          // Radix gives the focus back to a trigger of its own only, and there is none.
          onCloseAutoFocus={giveBack}
          {...(about ? {} : { "aria-describedby": undefined })}
        >
          <header>
            <div>
              <Radix.Title asChild>
                <h2>{title}</h2>
              </Radix.Title>
              {about && <Radix.Description className="soft small">{about}</Radix.Description>}
            </div>
            <Radix.Close asChild>
              <Button kind="quiet" small aria-label="Close">
                <X size={18} aria-hidden="true" />
              </Button>
            </Radix.Close>
          </header>
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
