import { type FormEvent, useId, useState } from "react";
import { AgentInput } from "@/pages/table/checklist/AgentInput";
import { STATUSES, type Task, type TaskStatus, WORDS } from "@/pages/table/checklist/board";
import { bodyOf, type Edits, isTooEarly, NO_EDITS } from "@/pages/table/checklist/change";
import styles from "@/pages/table/checklist/checklist.module.css";
import { useUpdateTask } from "@/pages/table/checklist/data";
import { Button } from "@/parts/Button";
import { Problem } from "@/parts/Notice";
import { useToast } from "@/parts/Toasts";

export function ChangeTask({ id, task }: { id: string; task: Task }) {
  const [edits, setEdits] = useState(NO_EDITS);
  const update = useUpdateTask(id, task.id);
  const say = useToast();
  const fields = useId();
  const change = (part: Partial<Edits>) => setEdits((former) => ({ ...former, ...part }));
  const status = edits.status ?? task.status;
  const early = isTooEarly(task, status);
  const body = bodyOf(task, edits);
  const save = (event: FormEvent) => {
    event.preventDefault();
    if (!body) return;
    const done = () => {
      setEdits(NO_EDITS);
      say(`Task ${task.id} is saved.`);
      // There is nothing left to save: the button lets the focus go.
      document.getElementById(`${fields}s`)?.focus();
    };
    update.mutate(body, { onSuccess: done });
  };
  return (
    <form className={`stack ${styles.change}`} onSubmit={save} aria-label={`Change task ${task.id}`}>
      <h3>Change it</h3>
      <div className={styles.pair}>
        <div>
          <label htmlFor={`${fields}s`}>Status</label>
          <StatusSelect id={`${fields}s`} value={status} choose={(next) => change({ status: next, force: false })} />
        </div>
        <AgentInput
          id={id}
          value={edits.assignee ?? task.assigned_to ?? ""}
          change={(assignee) => change({ assignee })}
        />
      </div>
      {task.lease_expires_at && edits.assignee !== undefined && edits.assignee !== task.assigned_to && (
        <p className="small soft">This ends the lease of whoever works on it now.</p>
      )}
      {early && <Anyway task={task} checked={edits.force} check={(force) => change({ force })} />}
      <div>
        <label htmlFor={`${fields}n`}>Add a note</label>
        <textarea id={`${fields}n`} value={edits.note} onChange={(event) => change({ note: event.target.value })} />
      </div>
      {update.error && <Problem of={update.error} />}
      <div className="row">
        <Button kind="main" type="submit" busy={update.isPending} disabled={!body}>
          Save
        </Button>
        {early && !edits.force && <span className="small soft">Tick the box above to save it anyway.</span>}
      </div>
    </form>
  );
}

function StatusSelect({ id, value, choose }: { id: string; value: TaskStatus; choose: (status: TaskStatus) => void }) {
  const chosen = (name: string) => {
    const status = STATUSES.find((candidate) => candidate === name);
    if (status) choose(status);
  };
  return (
    <select id={id} value={value} onChange={(event) => chosen(event.target.value)}>
      {STATUSES.map((status) => (
        <option key={status} value={status}>
          {WORDS[status]}
        </option>
      ))}
    </select>
  );
}

function Anyway({ task, checked, check }: { task: Task; checked: boolean; check: (checked: boolean) => void }) {
  return (
    <label className={`notice ${styles.anyway}`} data-tone="warn">
      <input type="checkbox" checked={checked} onChange={(event) => check(event.target.checked)} />
      <span>
        Do it although {task.blocked_by.join(", ")} {task.blocked_by.length === 1 ? "is" : "are"} not done. This is
        recorded as a note.
      </span>
    </label>
  );
}
