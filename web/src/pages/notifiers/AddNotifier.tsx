import { type FormEvent, useId, useState } from "react";
import { EVENTS, KINDS, type NewNotifier, useAdd } from "@/pages/notifiers/data";
import styles from "@/pages/notifiers/notifiers.module.css";
import { Button } from "@/parts/Button";
import { useDraft } from "@/parts/drafts";
import { Field } from "@/parts/Form";
import { Problem } from "@/parts/Notice";

const ALL = EVENTS.map(([event]) => event);
const EMPTY: Required<Pick<NewNotifier, "name" | "kind" | "to" | "allow_private">> & { events: typeof ALL } = {
  name: "",
  kind: "webhook",
  to: "",
  events: ALL,
  allow_private: false,
};

/** Tells of the secret that a webhook got, if it did. What was typed outlives a reload; but whoever knows the address of a
 * webhook may write to it, so no address but that of a mailbox is kept. */
export function AddNotifier({ added }: { added: (secret: string | null) => void }) {
  const [kept, keep, forget] = useDraft("notifier", EMPTY);
  const [secretTo, setSecretTo] = useState("");
  const mail = kept.kind === "email";
  const wanted = { ...kept, to: mail ? kept.to : secretTo };
  const add = useAdd();
  const change = (more: Partial<typeof EMPTY>) => keep({ ...kept, ...more });
  const complete = wanted.name !== "" && wanted.to !== "" && wanted.events.length > 0;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!complete) return;
    add.mutate(wanted, {
      onSuccess: ({ secret }) => {
        forget();
        setSecretTo("");
        added(secret ?? null);
      },
    });
  };
  return (
    <form className="card stack" onSubmit={submit} aria-labelledby="new-notifier">
      <h3 id="new-notifier">Add a notifier</h3>
      <div className={styles.fields}>
        <Field className={styles.field} label="Name">
          {(id) => (
            <input
              id={id}
              type="text"
              autoComplete="off"
              placeholder="phone"
              value={wanted.name}
              onChange={(event) => change({ name: event.target.value })}
            />
          )}
        </Field>
        <Field className={styles.field} label="Kind">
          {(id) => (
            <select
              id={id}
              value={wanted.kind}
              onChange={(event) => change({ kind: event.target.value as NewNotifier["kind"] })}
            >
              {KINDS.map(([kind, words]) => (
                <option key={kind} value={kind}>
                  {words}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Field className={`${styles.field} ${styles.wide}`} label="Address">
          {(id) => (
            <input
              id={id}
              type="text"
              autoComplete="off"
              placeholder={KINDS.find(([kind]) => kind === wanted.kind)?.[2]}
              value={wanted.to}
              onChange={(event) => (mail ? change({ to: event.target.value }) : setSecretTo(event.target.value))}
            />
          )}
        </Field>
      </div>
      <fieldset className={styles.events}>
        <legend>Calls for</legend>
        {EVENTS.map(([event, words]) => (
          <Check
            key={event}
            label={words}
            checked={wanted.events.includes(event)}
            toggle={(on) =>
              change({ events: ALL.filter((each) => (each === event ? on : wanted.events.includes(each))) })
            }
          />
        ))}
      </fieldset>
      {wanted.kind !== "email" && (
        <Check
          label="Allow an address of this machine or its private networks"
          checked={wanted.allow_private}
          toggle={(allow_private) => change({ allow_private })}
        />
      )}
      {add.error && <Problem of={add.error} />}
      <div>
        <Button type="submit" kind="main" busy={add.isPending} disabled={!complete}>
          Add the notifier
        </Button>
      </div>
    </form>
  );
}

function Check({ label, checked, toggle }: { label: string; checked: boolean; toggle: (on: boolean) => void }) {
  const id = useId();
  return (
    <div className={styles.check}>
      <input id={id} type="checkbox" checked={checked} onChange={(event) => toggle(event.target.checked)} />
      <label htmlFor={id}>{label}</label>
    </div>
  );
}
