import { Plus } from "lucide-react";
import { type RefObject, useRef, useState } from "react";
import { ApiError } from "@/api/client";
import { useIsOwner } from "@/api/me";
import { type RuleList, useRules, useSaveRules } from "@/pages/gateway/data";
import styles from "@/pages/gateway/gateway.module.css";
import { ReviewRules } from "@/pages/gateway/ReviewRules";
import { RuleEditor, type ServerWord } from "@/pages/gateway/RuleEditor";
import { RuleTable } from "@/pages/gateway/RuleTable";
import {
  newRow,
  placeOf,
  problemsOf,
  type RuleDraft,
  rowOf,
  ruleOf,
  sameRules,
  withoutPlace,
  written,
} from "@/pages/gateway/rules";
import { Button } from "@/parts/Button";
import { useFocusAfter } from "@/parts/focus";
import { Loaded, Notice, Problem } from "@/parts/Notice";
import { useToast } from "@/parts/Toasts";

/** What somebody is writing, and which state of the rules they began with. */
export interface RulesDraft {
  base: RuleList;
  rows: RuleDraft[];
}

interface DraftProps {
  draft: RulesDraft | null;
  setDraft: (draft: RulesDraft | null) => void;
}

export function Rules(props: DraftProps) {
  return (
    <Loaded query={useRules()} what="the rules">
      {(rules) => <RuleParts rules={rules} {...props} />}
    </Loaded>
  );
}

function RuleParts({ rules, draft, setDraft }: DraftProps & { rules: RuleList }) {
  const owner = useIsOwner();
  const began = useRef(false);
  const { stays, acted } = useFocusAfter<HTMLHeadingElement>(draft === null);
  const begin = () => {
    began.current = true;
    setDraft({ base: rules, rows: startingRows(rules) });
  };
  const end = () => {
    acted();
    setDraft(null);
  };
  return (
    <div className={styles.groups}>
      <Recipe />
      <section className="stack" aria-labelledby="own-rules">
        <div className="row apart">
          <h2 id="own-rules" ref={stays} tabIndex={-1}>
            Rules added to those of the file
          </h2>
          {owner && !draft && <Button onClick={begin}>{rules.rules.length === 0 ? "Add rules" : "Edit rules"}</Button>}
        </div>
        {!owner && <p className="soft small">Only an owner can change them.</p>}
        {draft ? (
          <Editing rules={rules} draft={draft} setDraft={setDraft} end={end} began={began} />
        ) : (
          <RuleTable rules={rules.rules} empty="None. What stands in the file holds alone." />
        )}
      </section>
      <section className="stack" aria-labelledby="file-rules">
        <h2 id="file-rules">Rules of the configuration file</h2>
        <RuleTable rules={rules.file_rules} empty="None. Tools are judged by what they say of themselves." />
        <p className="soft small">These change with the file: the server takes them over within seconds.</p>
      </section>
    </div>
  );
}

function startingRows(rules: RuleList): RuleDraft[] {
  return rules.rules.length === 0 ? [newRow({ layer: "tool" })] : rules.rules.map(rowOf);
}

function Recipe() {
  return (
    <Notice>
      <span>
        A whole upstream that you trust, in one line: <code>{'{"match": "files.*", "layer": "tool"}'}</code>
      </span>
      <span className="small">
        Of all rules that match a tool, here and in the file, the strictest holds. Tools whose names say that they are
        internal stay closed whatever a rule says.
      </span>
    </Notice>
  );
}

interface EditingProps {
  rules: RuleList;
  draft: RulesDraft;
  setDraft: (draft: RulesDraft) => void;
  end: () => void;
  began: RefObject<boolean>;
}

function Editing({ rules, draft, setDraft, end, began }: EditingProps) {
  const [word, setWord] = useState<ServerWord | null>(null);
  const [reviewing, setReviewing] = useState(false);
  const save = useSaveRules();
  const say = useToast();
  const wrong = draft.rows.filter((row) => Object.keys(problemsOf(row)).length > 0).length;
  const before = written(draft.base.rules.map(rowOf));
  const changed = before !== written(draft.rows);
  // Switching an upstream counts the version up too; only other rules are a reason to ask.
  const overtaken = rules.version !== draft.base.version && !sameRules(rules.rules, draft.base.rules);
  const { stays, acted } = useFocusAfter<HTMLDivElement>(overtaken);
  const keep = () => {
    acted();
    setDraft({ ...draft, base: rules });
  };
  const change = (rows: RuleDraft[]) => {
    setWord(null);
    save.reset();
    setDraft({ ...draft, rows });
  };
  const refused = (problem: unknown) => {
    const place = problem instanceof ApiError ? placeOf(problem.details.place) : undefined;
    if (place && problem instanceof ApiError) setWord({ ...place, text: withoutPlace(problem.message) });
    if (place || isConflict(problem)) setReviewing(false);
  };
  const store = () =>
    save.mutate(
      { rules: draft.rows.map(ruleOf), version: overtaken ? draft.base.version : rules.version },
      {
        onSuccess: () => {
          end();
          say("The rules are saved. They hold from now on.");
        },
        onError: refused,
      },
    );
  return (
    <div className="stack" ref={stays} tabIndex={-1}>
      {overtaken && <Overtaken take={end} keep={keep} />}
      <RuleEditor rows={draft.rows} change={change} word={word} began={began} />
      <div>
        <Button onClick={() => change([...draft.rows, newRow()])}>
          <Plus size={16} aria-hidden="true" /> Add a rule
        </Button>
      </div>
      {word === null && save.error && !isConflict(save.error) && !reviewing && <Problem of={save.error} />}
      <div className={styles.bar}>
        <p className="small soft" role="status">
          {state(wrong, changed)}
        </p>
        <Button onClick={end}>Discard</Button>
        <Button kind="main" disabled={wrong > 0 || !changed || overtaken} onClick={() => setReviewing(true)}>
          Review changes
        </Button>
      </div>
      <ReviewRules
        open={reviewing}
        close={() => setReviewing(false)}
        before={before}
        after={written(draft.rows)}
        busy={save.isPending}
        problem={save.error}
        save={store}
      />
    </div>
  );
}

function isConflict(problem: unknown): boolean {
  return problem instanceof ApiError && problem.status === 409;
}

function state(wrong: number, changed: boolean): string {
  if (wrong > 0) return wrong === 1 ? "1 rule is not ready yet." : `${wrong} rules are not ready yet.`;
  return changed ? "Nothing is saved yet." : "Nothing is changed yet.";
}

function Overtaken({ take, keep }: { take: () => void; keep: () => void }) {
  return (
    <div className="notice" role="alert">
      <strong>Somebody else has changed the rules since you began.</strong>
      <span>Keep yours to compare them with the new ones before you save, or take the new ones and begin again.</span>
      <div className="row">
        <Button onClick={keep}>Keep mine</Button>
        <Button onClick={take}>Take the new ones</Button>
      </div>
    </div>
  );
}
