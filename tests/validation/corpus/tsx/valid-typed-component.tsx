import { useState, type FC, type ReactNode } from "react";

interface Props {
  title: string;
  children?: ReactNode;
  onClose?: (reason: "esc" | "click") => void;
}

export const Dialog: FC<Props> = ({ title, children, onClose }) => {
  const [open, setOpen] = useState<boolean>(true);
  if (!open) return null;
  return (
    <dialog open aria-label={title} onClick={() => { setOpen(false); onClose?.("click"); }}>
      <h2>{title}</h2>
      {children}
    </dialog>
  );
};
