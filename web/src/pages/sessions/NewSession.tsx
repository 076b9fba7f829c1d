import { type SyntheticEvent, useState } from "react";
import { useLocation } from "wouter";
import { useCreateSession } from "@/pages/sessions/data";
import styles from "@/pages/sessions/sessions.module.css";
import { LENGTHS } from "@/pages/sessions/words";
import { Button } from "@/parts/Button";
import { Dialog } from "@/parts/Dialog";
import { useDraft } from "@/parts/drafts";
import { Field } from "@/parts/Form";
import { Problem } from "@/parts/Notice";
import { useToast } from "@/parts/Toasts";

export function NewSession({ open, close }: { open: boolean; close: () => void }) {
  return (
    <Dialog
      open={open}
      close={close}
      title="New session"
      about="A table at which agents share notes, a draft, a plan and messages."
    >
      <Form close={close} />
    </Dialog>
  );
}

function Form({ close }: { close: () => void }) {
  const creating = useCreateSession();
  const [, go] = useLocation();
  const say = useToast();
  const [purpose, setPurpose, forget] = useDraft("session", "");
  const leave = () => {
    forget();
    close();
  };
  const [ttl, setTtl] = useState("");
  const create = (event: SyntheticEvent) => {
    event.preventDefault();
    if (creating.isPending) return;
    const done = ({ session_id }: { session_id: string }) => {
      leave();
      say("The session is open. Agents join it by its id.");
      go(`/sessions/${encodeURIComponent(session_id)}`);
    };
    creating.mutate({ purpose: purpose.trim(), ttl }, { onSuccess: done });
  };
  return (
    <form className="stack" onSubmit={create}>
      <Field label="Purpose">
        {(field) => (
          <textarea
            id={field}
            rows={2}
            value={purpose}
            placeholder="What this collaboration is for"
            onChange={(event) => setPurpose(event.target.value)}
          />
        )}
      </Field>
      <Field label="Lasts for">
        {(field) => (
          <select id={field} value={ttl} onChange={(event) => setTtl(event.target.value)}>
            <option value="">As long as the server gives by default</option>
            {LENGTHS.map((length) => (
              <option key={length.ttl} value={length.ttl}>
                {length.title}
              </option>
            ))}
          </select>
        )}
      </Field>
      {creating.isError && <Problem of={creating.error} />}
      <div className={styles.answers}>
        <Button kind="main" type="submit" busy={creating.isPending}>
          Create
        </Button>
        <Button onClick={leave}>Cancel</Button>
      </div>
    </form>
  );
}
