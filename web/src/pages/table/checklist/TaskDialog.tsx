import { useState } from "react";
import { nameOf, type Task, TONES, WORDS } from "@/pages/table/checklist/board";
import { ChangeTask } from "@/pages/table/checklist/ChangeTask";
import styles from "@/pages/table/checklist/checklist.module.css";
import { Assignee, Lease, PriorityMark } from "@/pages/table/checklist/TaskCard";
import { linkTo } from "@/pages/table/Menu";
import { RedactButton } from "@/pages/table/Redact";
import { TOMBSTONE } from "@/pages/table/redactable";
import { Badge } from "@/parts/Badge";
import { Button } from "@/parts/Button";
import { Code } from "@/parts/Code";
import { Copy } from "@/parts/Copy";
import { Dialog } from "@/parts/Dialog";
import { Markdown } from "@/parts/Markdown";
import { Text } from "@/parts/Text";
import { Time } from "@/parts/Time";

interface Props {
  id: string;
  closed: boolean;
  tasks: Task[];
  task: Task | undefined;
  show: (task: Task) => void;
  close: () => void;
}

/** Everything about one task, and what a person can do about it. */
export function TaskDialog({ id, closed, tasks, task, show, close }: Props) {
  return (
    <Dialog open={task !== undefined} close={close} title={task ? `Task ${task.id}` : "Task"}>
      {task && (
        <div className="stack" key={task.id}>
          <Facts task={task} />
          <div className={styles.words}>
            <Markdown text={task.description} />
          </div>
          <div className="row">
            <Copy text={linkTo(`/sessions/${encodeURIComponent(id)}/plan/${task.id}`)} label="Copy link" />
            {task.description !== TOMBSTONE && (
              <RedactButton session={id} thing={{ kind: "task", id: task.id }} subject="the task" />
            )}
          </div>
          <Dependencies task={task} tasks={tasks} show={show} />
          {task.metadata && (
            <details>
              <summary>Metadata</summary>
              <Code language="json" text={JSON.stringify(task.metadata, null, 2)} />
            </details>
          )}
          <Notes id={id} task={task} />
          {closed ? (
            <p className="soft small">The session has ended: its tasks can be read, not changed.</p>
          ) : (
            <ChangeTask id={id} task={task} tasks={tasks} />
          )}
        </div>
      )}
    </Dialog>
  );
}

function Facts({ task }: { task: Task }) {
  return (
    <p className="row small">
      <Badge tone={TONES[task.status]}>{WORDS[task.status]}</Badge>
      <PriorityMark priority={task.priority} />
      {task.ready && <Badge tone="good">Ready</Badge>}
      {task.assigned_to ? <Assignee name={task.assigned_to} /> : <span className="soft">Anyone may do it</span>}
      {task.lease_expires_at && <Lease until={task.lease_expires_at} />}
    </p>
  );
}

function Dependencies({ task, tasks, show }: { task: Task; tasks: Task[]; show: (task: Task) => void }) {
  const before = tasks.filter((other) => task.depends_on.includes(other.id));
  const after = tasks.filter((other) => other.depends_on.includes(task.id));
  return (
    <>
      <TaskLinks title="Waits for" tasks={before} show={show} />
      <TaskLinks title="Others wait for it" tasks={after} show={show} />
    </>
  );
}

function TaskLinks({ title, tasks, show }: { title: string; tasks: Task[]; show: (task: Task) => void }) {
  if (tasks.length === 0) return null;
  return (
    <section className={styles.ties}>
      <h3>{title}</h3>
      <ul className="plain-list">
        {tasks.map((task) => (
          <li key={task.id} className={styles.tie}>
            <button type="button" className={styles.link} onClick={() => show(task)}>
              <Text>{nameOf(task)}</Text>
            </button>
            <Badge tone={TONES[task.status]}>{WORDS[task.status]}</Badge>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** A task may have a thousand notes; the newest say where it stands. */
const AT_FIRST = 20;

function Notes({ id, task }: { id: string; task: Task }) {
  const [count, setCount] = useState(AT_FIRST);
  const hidden = Math.max(0, task.notes.length - count);
  if (task.notes.length === 0) return null;
  return (
    <section className="stack">
      <h3>Notes</h3>
      {hidden > 0 && (
        <div>
          <Button small onClick={() => setCount(count + AT_FIRST)}>
            Show older notes ({hidden})
          </Button>
        </div>
      )}
      <ol className={`plain-list ${styles.notes}`}>
        {task.notes.slice(hidden).map((note, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: notes are only ever added at the end
          <li key={hidden + index}>
            <p className="small soft">
              <Text>{note.author}</Text>, <Time at={note.timestamp} />
            </p>
            <Markdown text={note.text} />
            {note.text !== TOMBSTONE && (
              <RedactButton
                session={id}
                thing={{ kind: "task_note", id: task.id, number: hidden + index + 1 }}
                subject="this note"
              />
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}
