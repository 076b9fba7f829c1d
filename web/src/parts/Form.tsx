import { type FormEvent, type ReactNode, useId } from "react";
import { Button } from "@/parts/Button";
import { Dialog } from "@/parts/Dialog";
import { Problem } from "@/parts/Notice";

interface Props {
  title: string;
  about: ReactNode;
  /** What the button that saves says. */
  action: string;
  kind?: "main" | "bad";
  cancel?: string;
  /** Whether all required fields are filled in. */
  complete?: boolean;
  saving: { isPending: boolean; error: unknown };
  save: () => void;
  close: () => void;
  children?: ReactNode;
}

/** A form in a dialog; without fields it asks for a confirmation. It is rendered while it is open, so that it starts
 * empty each time. */
export function FormDialog(props: Props) {
  const { title, about, action, kind = "main", cancel = "Cancel", complete = true, saving, save, close } = props;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (complete) save();
  };
  return (
    <Dialog open close={close} title={title} about={about}>
      <form className="stack" onSubmit={submit}>
        {props.children}
        {saving.error ? <Problem of={saving.error} /> : null}
        <div className="row">
          <Button kind={kind} type="submit" busy={saving.isPending} disabled={!complete}>
            {action}
          </Button>
          <Button kind="quiet" onClick={close}>
            {cancel}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** A label and its control, which gets the id that joins them. */
export function Field({
  label,
  className,
  children,
}: {
  label: string;
  className?: string | undefined;
  children: (id: string) => ReactNode;
}) {
  const id = useId();
  return (
    <div className={className}>
      <label htmlFor={id}>{label}</label>
      {children(id)}
    </div>
  );
}
