import { type FormEvent, useState } from "react";
import styles from "@/pages/connect/connect.module.css";
import { type CreatedToken, useCreateToken, useSessionChoices } from "@/pages/connect/data";
import { EMPTY, LIFETIMES, problemOf, ROLES, type TokenFields, tokenRequestOf } from "@/pages/connect/tokenForm";
import { Button } from "@/parts/Button";
import { useDraft } from "@/parts/drafts";
import { Field } from "@/parts/Form";
import { Problem } from "@/parts/Notice";

export function NewToken({ made }: { made: (made: CreatedToken) => void }) {
  const [fields, setFields, forget] = useDraft<TokenFields>("token", EMPTY);
  const [tried, setTried] = useState(false);
  const create = useCreateToken();
  const problem = problemOf(fields);
  const change = (more: Partial<TokenFields>) => setFields({ ...fields, ...more });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (problem !== undefined) return;
    const done = (token: CreatedToken) => {
      forget();
      made(token);
    };
    create.mutate(tokenRequestOf(fields), { onSuccess: done });
  };
  return (
    <form className="card stack" onSubmit={submit} aria-labelledby="new-token" noValidate>
      <h3 id="new-token">Create a token</h3>
      <div className={styles.fields}>
        <RoleField fields={fields} change={change} />
        {fields.role === "agent" && <AgentFields fields={fields} change={change} />}
        <Field className={styles.field} label="Name of the token">
          {(id) => (
            <input
              id={id}
              type="text"
              autoComplete="off"
              placeholder={fields.role === "agent" ? fields.agent || "as the agent" : "laptop of Mira"}
              value={fields.name}
              onChange={(event) => change({ name: event.target.value })}
            />
          )}
        </Field>
        <Field className={styles.field} label="Expires">
          {(id) => (
            <select id={id} value={fields.expires_in} onChange={(event) => change({ expires_in: event.target.value })}>
              {LIFETIMES.map(([value, words]) => (
                <option key={value} value={value}>
                  {words}
                </option>
              ))}
            </select>
          )}
        </Field>
      </div>
      <p className="small soft">{ROLES.find(([role]) => role === fields.role)?.[1]}</p>
      {tried && problem && (
        <p className={styles.wrong} role="alert">
          {problem}
        </p>
      )}
      {create.error && <Problem of={create.error} />}
      <div>
        <Button type="submit" kind="main" busy={create.isPending}>
          Create the token
        </Button>
      </div>
    </form>
  );
}

interface PartProps {
  fields: TokenFields;
  change: (more: Partial<TokenFields>) => void;
}

function RoleField({ fields, change }: PartProps) {
  const choose = (value: string) => {
    const found = ROLES.find(([role]) => role === value);
    if (found) change({ role: found[0] });
  };
  return (
    <Field className={styles.field} label="Role">
      {(id) => (
        <select id={id} value={fields.role} onChange={(event) => choose(event.target.value)}>
          {ROLES.map(([role]) => (
            <option key={role}>{role}</option>
          ))}
        </select>
      )}
    </Field>
  );
}

function AgentFields({ fields, change }: PartProps) {
  const sessions = useSessionChoices();
  const choices = sessions.data?.sessions ?? [];
  return (
    <>
      <Field className={styles.field} label="Agent">
        {(id) => (
          <input
            id={id}
            type="text"
            autoComplete="off"
            placeholder="planner"
            required
            value={fields.agent}
            onChange={(event) => change({ agent: event.target.value })}
          />
        )}
      </Field>
      <Field className={styles.field} label="Session">
        {(id) => (
          <select
            id={id}
            required
            value={fields.session_id}
            onChange={(event) => change({ session_id: event.target.value })}
          >
            <option value="">{sessions.data && choices.length === 0 ? "There is no session yet" : "Choose one"}</option>
            {choices.map(({ session_id, purpose }) => (
              <option key={session_id} value={session_id}>
                {purpose ? `${session_id}: ${purpose.slice(0, 60)}` : session_id}
              </option>
            ))}
          </select>
        )}
      </Field>
    </>
  );
}
