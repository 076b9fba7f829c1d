import { type FormEvent, useId, useState } from "react";
import { ApiError } from "@/api/client";
import { PrioritySelect } from "@/pages/table/checklist/AddTask";
import { AgentInput } from "@/pages/table/checklist/AgentInput";
import { STATUSES, type Task, type TaskStatus, WORDS } from "@/pages/table/checklist/board";
import { bodyOf, type Edits, isTooEarly } from "@/pages/table/checklist/change";
import styles from "@/pages/table/checklist/checklist.module.css";
import { useUpdateTask } from "@/pages/table/checklist/data";
import { TaskPicker } from "@/pages/table/checklist/TaskPicker";
import { Button } from "@/parts/Button";
import { useDraft } from "@/parts/drafts";
import { Field } from "@/parts/Form";
import { Problem } from "@/parts/Notice";
import { useToast } from "@/parts/Toasts";

export function ChangeTask({ id, task, tasks }: { id: string; task: Task; tasks: Task[] }) {
  const [force, setForce] = useState(false);
  const [typed, write, forget] = useDraft<Omit<Edits, "force">>(`task/${id}/${task.id}/edits`, { note: "" });
  const edits: Edits = { ...typed, force };
  const update = useUpdateTask(id, task.id);
  const say = useToast();
  const fields = useId();
  const change = ({ force: forced = force, ...part }: Partial<Edits>) => {
    setForce(forced);
    write({ ...typed, ...part });
  };
  const status = edits.status ?? task.status;
  const early = isTooEarly(task, status);
  const body = bodyOf(task, edits);
  const save = (event: FormEvent) => {
    event.preventDefault();
    if (!body) return;
    const done = () => {
      setForce(false);
      forget();
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
      <Terms task={task} tasks={tasks} edits={edits} change={change} />
      {early && <Anyway task={task} checked={edits.force} check={(force) => change({ force })} />}
      <div>
        <label htmlFor={`${fields}n`}>Add a note</label>
        <textarea id={`${fields}n`} value={edits.note} onChange={(event) => change({ note: event.target.value })} />
      </div>
      {update.error && <Problem of={update.error} />}
      {isConflict(update.error) && (
        <p className="small">What you chose and typed is still here. Saving again changes the task as it is now.</p>
      )}
      <div className="row">
        <Button kind="main" type="submit" busy={update.isPending} disabled={!body}>
          Save
        </Button>
        {early && !edits.force && <span className="small soft">Tick the box above to save it anyway.</span>}
      </div>
    </form>
  );
}

function isConflict(problem: unknown): boolean {
  return problem instanceof ApiError && problem.code === "VERSION_CONFLICT";
}

interface TermsProps {
  task: Task;
  tasks: Task[];
  edits: Edits;
  change: (part: Partial<Edits>) => void;
}

/** Its words, how urgent it is and what it waits for. */
function Terms({ task, tasks, edits, change }: TermsProps) {
  const others = tasks.filter((other) => other.id !== task.id);
  // As it was found: whoever opens or closes it later does that by hand.
  const [begun] = useState(edits.description !== undefined || edits.dependsOn !== undefined);
  return (
    <>
      <Field label="Priority">
        {(field) => (
          <PrioritySelect
            id={field}
            value={edits.priority ?? task.priority}
            choose={(priority) => change({ priority })}
          />
        )}
      </Field>
      <details className={styles.terms} open={begun}>
        <summary>Its words and what it waits for</summary>
        <div className="stack">
          <Field label="What is to be done">
            {(field) => (
              <textarea
                id={field}
                rows={5}
                maxLength={10_000}
                value={edits.description ?? task.description}
                onChange={(event) => change({ description: event.target.value })}
              />
            )}
          </Field>
          {others.length > 0 && (
            <TaskPicker
              tasks={others}
              chosen={edits.dependsOn ?? task.depends_on}
              choose={(dependsOn) => change({ dependsOn })}
            />
          )}
        </div>
      </details>
    </>
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
