import { useState } from "react";
import type { Cell } from "@/pages/notebooks/data";
import { type Finding, findingsOf, placeOfFinding } from "@/pages/notebooks/findings";
import styles from "@/pages/notebooks/pad.module.css";
import {
  type CellText,
  conflictIn,
  inputOf,
  LANGUAGES,
  languageOf,
  textOfCell,
  useCellNow,
  useWriteCell,
  type WrittenCell,
} from "@/pages/notebooks/writing";
import { Button } from "@/parts/Button";
import { Diff } from "@/parts/Diff";
import { useDraft } from "@/parts/drafts";
import { Field, FormDialog } from "@/parts/Form";
import { Loaded, Notice } from "@/parts/Notice";
import { Text } from "@/parts/Text";
import { useToast } from "@/parts/Toasts";

const ABOUT =
  "Every agent that reads the scratchpad sees it. It is checked when it is saved, and kept whatever is found.";

/** A person writes a cell, or writes one anew. It stays open while the check finds something. */
export function CellEditor({ id, cell, close }: { id: string; cell: Cell | undefined; close: () => void }) {
  const [text, write, forget] = useDraft<CellText>(`cell/${id}/${cell?.cell_id ?? "new"}`, textOfCell(cell));
  const [at, setAt] = useState<WrittenCell | undefined>(cell && { cellId: cell.cell_id, version: cell.version });
  const [found, setFound] = useState<Finding[]>();
  const saving = useWriteCell(id);
  const say = useToast();
  const current = conflictIn(saving.error);
  const change = (part: Partial<CellText>) => write({ ...text, ...part });
  const save = (over: WrittenCell | undefined) =>
    saving.mutate(
      { cell: inputOf(text, cell), at: over },
      {
        onSuccess: ({ validation }) => {
          const findings = findingsOf(validation);
          say("The cell is saved.");
          forget();
          if (findings.length === 0) return close();
          // The text stays: what is wrong with it can be put right here.
          write(text);
          setFound(findings);
          const cellId = over?.cellId ?? validation?.cell_id;
          if (cellId) setAt({ cellId, version: (over?.version ?? 0) + 1 });
        },
      },
    );
  const leave = () => {
    if (found) forget();
    close();
  };
  return (
    <FormDialog
      title={cell ? `Edit cell ${cell.index + 1}` : "Write a cell"}
      about={ABOUT}
      action="Save the cell"
      cancel={found ? "Close" : "Cancel"}
      complete={text.content.trim() !== ""}
      saving={current === undefined ? saving : { ...saving, error: null }}
      save={() => save(at)}
      close={leave}
    >
      <CellFields text={text} change={change} />
      {found && <Found findings={found} />}
      {current !== undefined && at && (
        <WrittenMeanwhile id={id} at={at} current={current} text={text.content} busy={saving.isPending} save={save} />
      )}
    </FormDialog>
  );
}

function CellFields({ text, change }: { text: CellText; change: (part: Partial<CellText>) => void }) {
  return (
    <>
      <div className={styles.editorPair}>
        <Field label="Language">
          {(field) => (
            <select
              id={field}
              value={text.language}
              onChange={(event) => change({ language: languageOf(event.target.value) })}
            >
              {LANGUAGES.map(([language, title]) => (
                <option key={language} value={language}>
                  {title}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Field label="Tags, between commas">
          {(field) => (
            <input
              id={field}
              type="text"
              value={text.tags}
              onChange={(event) => change({ tags: event.target.value })}
            />
          )}
        </Field>
      </div>
      <Field label="Text of the cell">
        {(field) => (
          <textarea
            id={field}
            className={styles.editorText}
            rows={14}
            spellCheck={text.language === "md" || text.language === "txt"}
            value={text.content}
            onChange={(event) => change({ content: event.target.value })}
          />
        )}
      </Field>
    </>
  );
}

function Found({ findings }: { findings: Finding[] }) {
  return (
    <Notice tone="warn">
      <strong>It is saved. The check found this:</strong>
      <ul className="plain-list" aria-label="What was found">
        {findings.slice(0, 10).map((finding, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: findings are replaced as a whole
          <li key={index}>
            {placeOfFinding(finding)}: <Text>{finding.message}</Text>
          </li>
        ))}
      </ul>
      {findings.length > 10 && <span>And {findings.length - 10} more.</span>}
    </Notice>
  );
}

interface Theirs {
  id: string;
  at: WrittenCell;
  current: number;
  text: string;
  busy: boolean;
  save: (over: WrittenCell) => void;
}

/** Somebody wrote it while this person did: neither text is lost, and the person decides. */
function WrittenMeanwhile({ id, at, current, text, busy, save }: Theirs) {
  const theirs = useCellNow(id, at.cellId, current);
  return (
    <div className="notice" data-tone="warn" role="alert">
      <strong>Somebody wrote version {current} of this cell meanwhile.</strong>
      <span>You began with version {at.version}. Take over what you want to keep, then save yours over it.</span>
      <Loaded query={theirs} what="their text">
        {(cell) => <Diff before={cell?.content ?? ""} after={text} names={[`Version ${current}`, "Yours"]} />}
      </Loaded>
      <div>
        <Button small busy={busy} onClick={() => save({ cellId: at.cellId, version: current })}>
          Save mine as version {current + 1}
        </Button>
      </div>
    </div>
  );
}
