import { type FormEvent, useId, useState } from "react";
import { AgentInput } from "@/pages/table/checklist/AgentInput";
import { PRIORITIES, type Priority, type Task } from "@/pages/table/checklist/board";
import styles from "@/pages/table/checklist/checklist.module.css";
import { useAddTask } from "@/pages/table/checklist/data";
import { TaskPicker } from "@/pages/table/checklist/TaskPicker";
import { Button } from "@/parts/Button";
import { Dialog } from "@/parts/Dialog";
import { Problem } from "@/parts/Notice";
import { useSay } from "@/parts/Toasts";

interface Props {
  id: string;
  tasks: Task[];
  open: boolean;
  close: () => void;
}

export function AddTask(props: Props) {
  return (
    <Dialog
      open={props.open}
      close={props.close}
      title="Add a task"
      about="Agents see it at once and can claim it, unless you name one of them."
    >
      <NewTask {...props} />
    </Dialog>
  );
}

function NewTask({ id, tasks, close }: Props) {
  const [description, setDescription] = useState("");
  const [priority, setPriority] = useState<Priority>("medium");
  const [assignee, setAssignee] = useState("");
  const [before, setBefore] = useState<string[]>([]);
  const add = useAddTask(id);
  const say = useSay();
  const fields = useId();
  const save = (event: FormEvent) => {
    event.preventDefault();
    const task = {
      description: description.trim(),
      priority,
      ...(assignee.trim() && { assigned_to: assignee.trim() }),
      ...(before.length > 0 && { depends_on: before }),
    };
    const done = (answer: { tasks: { id: string }[] }) => {
      say(`Task ${answer.tasks[0]?.id ?? ""} is added.`);
      close();
    };
    add.mutate(task, { onSuccess: done });
  };
  return (
    <form className="stack" onSubmit={save}>
      <div>
        <label htmlFor={`${fields}d`}>What is to be done</label>
        <textarea
          id={`${fields}d`}
          required
          maxLength={10_000}
          value={description}
          onChange={(event) => setDescription(event.target.value)}
        />
      </div>
      <div className={styles.pair}>
        <div>
          <label htmlFor={`${fields}p`}>Priority</label>
          <PrioritySelect id={`${fields}p`} value={priority} choose={setPriority} />
        </div>
        <AgentInput id={id} value={assignee} change={setAssignee} />
      </div>
      {tasks.length > 0 && <TaskPicker tasks={tasks} chosen={before} choose={setBefore} />}
      {add.error && <Problem of={add.error} />}
      <div className="row">
        <Button kind="main" type="submit" busy={add.isPending} disabled={description.trim() === ""}>
          Add the task
        </Button>
        <Button kind="quiet" onClick={close}>
          Cancel
        </Button>
      </div>
    </form>
  );
}

const WORDS: Record<Priority, string> = { high: "High", medium: "Medium", low: "Low" };

function PrioritySelect({ id, value, choose }: { id: string; value: Priority; choose: (value: Priority) => void }) {
  const chosen = (name: string) => choose(PRIORITIES.find((candidate) => candidate === name) ?? value);
  return (
    <select id={id} value={value} onChange={(event) => chosen(event.target.value)}>
      {PRIORITIES.map((priority) => (
        <option key={priority} value={priority}>
          {WORDS[priority]}
        </option>
      ))}
    </select>
  );
}
