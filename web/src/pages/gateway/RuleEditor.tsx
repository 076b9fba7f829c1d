import { Trash2 } from "lucide-react";
import { type ReactNode, type RefObject, useEffect, useId, useMemo, useRef, useState } from "react";
import { useUpstreams } from "@/pages/gateway/data";
import styles from "@/pages/gateway/gateway.module.css";
import { matcher, problemsOf, type RuleDraft, type RuleField, type RuleProblems, WHO } from "@/pages/gateway/rules";
import { LAYERS, whoConfirms } from "@/pages/gateway/words";
import { Button } from "@/parts/Button";
import { AFTER_DIALOG } from "@/parts/focus";

const MORE: RuleField[] = [...WHO, "when", "reason"];

/** What the server found wrong, and where. */
export interface ServerWord {
  index: number;
  field: RuleField;
  text: string;
}

export function RuleEditor({
  rows,
  change,
  word,
  began,
}: {
  rows: RuleDraft[];
  change: (rows: RuleDraft[]) => void;
  word: ServerWord | null;
  /** Whether somebody pressed the button that leads here, which is gone now. */
  began: RefObject<boolean>;
}) {
  const known = useUpstreams().data?.upstreams;
  const identities = useMemo(() => known?.flatMap(({ tools }) => tools.map((tool) => tool.identity)), [known]);
  const list = useRef<HTMLOListElement>(null);
  const count = useRef(rows.length);
  useEffect(() => {
    if (began.current) list.current?.querySelector("input")?.focus();
    began.current = false;
  }, [began]);
  useEffect(() => {
    const fieldsets = list.current?.querySelectorAll("fieldset");
    const last = fieldsets?.[fieldsets.length - 1];
    if (rows.length > count.current) last?.querySelector("input")?.focus();
    if (rows.length < count.current) (last?.querySelector("input") ?? list.current)?.focus();
    count.current = rows.length;
  }, [rows.length]);
  useEffect(() => {
    if (!word) return;
    const due = setTimeout(() => {
      const rule = list.current?.querySelectorAll("fieldset")[word.index];
      rule?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
    }, AFTER_DIALOG);
    return () => clearTimeout(due);
  }, [word]);
  return (
    <ol ref={list} tabIndex={-1} className="plain-list stack" aria-label="Rules being edited">
      {rows.map((row, index) => (
        <li key={row.key}>
          <RuleFields
            row={row}
            number={index + 1}
            identities={identities}
            word={word?.index === index ? word : null}
            change={(fields) => change(rows.map((other) => (other === row ? { ...row, ...fields } : other)))}
            remove={() => change(rows.filter((other) => other !== row))}
          />
        </li>
      ))}
    </ol>
  );
}

interface FieldsProps {
  row: RuleDraft;
  number: number;
  identities: string[] | undefined;
  word: ServerWord | null;
  change: (fields: Partial<RuleDraft>) => void;
  remove: () => void;
}

function RuleFields({ row, number, identities, word, change, remove }: FieldsProps) {
  // A rule that was just added is not wrong, only empty, until somebody has been in it.
  const [left, setLeft] = useState(false);
  const problems = { ...(left && problemsOf(row)), ...(word && { [word.field]: word.text }) };
  const text = (field: RuleField) => ({
    value: row[field],
    onChange: (event: { target: { value: string } }) => change({ [field]: event.target.value }),
  });
  return (
    <fieldset className={styles.rule} data-wrong={word ? true : undefined} onBlur={() => setLeft(true)}>
      <legend className="hidden-but-read">Rule {number}</legend>
      <RuleInput name="Which tools" field="match" problems={problems}>
        {(more) => (
          <>
            <input type="text" placeholder="files.*" autoComplete="off" {...text("match")} {...more} />
            <Matches pattern={row.match.trim()} identities={identities} />
          </>
        )}
      </RuleInput>
      <RuleInput name="What happens" field="layer" problems={problems}>
        {(more) => (
          <select {...text("layer")} {...more}>
            <option value="">As without this rule</option>
            {LAYERS.map(({ word: value, title }) => (
              <option key={value} value={value}>
                {title} ({value})
              </option>
            ))}
          </select>
        )}
      </RuleInput>
      <RuleInput name="Who is asked" field="confirm" problems={problems}>
        {(more) => (
          <select {...text("confirm")} {...more}>
            <option value="">As the layer says</option>
            {["human", "client", "none"].map((who) => (
              <option key={who} value={who}>
                {whoConfirms(who)}
              </option>
            ))}
          </select>
        )}
      </RuleInput>
      <RuleInput name="How often" field="rate" problems={problems}>
        {(more) => <input type="text" placeholder="60/min" autoComplete="off" {...text("rate")} {...more} />}
      </RuleInput>
      <details className={`${styles.fold} ${styles.more}`} open={MORE.some((field) => problems[field]) || undefined}>
        <summary className="small">
          {MORE.some((field) => row[field])
            ? "For whom, condition and reason"
            : "Say for whom, a condition or a reason"}
        </summary>
        <div className="stack">
          {WHO.map((kind) => (
            <RuleInput key={kind} name={`Only for these ${kind}, with commas between`} field={kind} problems={problems}>
              {(more) => <input type="text" placeholder="everybody" autoComplete="off" {...text(kind)} {...more} />}
            </RuleInput>
          ))}
          <RuleInput name="Only when the inputs fit this JSON Schema" field="when" problems={problems}>
            {(more) => <textarea className={styles.when} spellCheck={false} rows={3} {...text("when")} {...more} />}
          </RuleInput>
          <RuleInput name="Reason, for the people who decide" field="reason" problems={problems}>
            {(more) => <input type="text" autoComplete="off" {...text("reason")} {...more} />}
          </RuleInput>
        </div>
      </details>
      <Button kind="quiet" onClick={remove} aria-label={`Remove rule ${number}`}>
        <Trash2 size={16} aria-hidden="true" /> Remove
      </Button>
    </fieldset>
  );
}

interface InputProps {
  id: string;
  "aria-invalid": boolean;
  "aria-describedby": string | undefined;
}

function RuleInput({
  name,
  field,
  problems,
  children,
}: {
  name: string;
  field: RuleField;
  problems: RuleProblems;
  children: (props: InputProps) => ReactNode;
}) {
  const id = useId();
  const problem = problems[field];
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{name}</label>
      {children({ id, "aria-invalid": Boolean(problem), "aria-describedby": problem ? `${id}-wrong` : undefined })}
      {problem && (
        <span id={`${id}-wrong`} className={styles.wrong}>
          {problem}
        </span>
      )}
    </div>
  );
}

/** Which tools a pattern means: a typing error shows before it is a rule. */
function Matches({ pattern, identities }: { pattern: string; identities: string[] | undefined }) {
  if (!pattern || !identities) return null;
  const met = identities.filter(matcher(pattern));
  if (met.length === 0) return <span className="small soft">No tool that is known now matches.</span>;
  const named = met.slice(0, 4).join(", ");
  return (
    <span className="small soft">
      {met.length === 1 ? "Matches" : `Matches ${met.length} tools:`} {named}
      {met.length > 4 && " and others"}
    </span>
  );
}
