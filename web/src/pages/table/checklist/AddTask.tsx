import { useState } from "react";
import { AgentInput } from "@/pages/table/checklist/AgentInput";
import { PRIORITIES, type Priority, type Task } from "@/pages/table/checklist/board";
import styles from "@/pages/table/checklist/checklist.module.css";
import { useAddTask } from "@/pages/table/checklist/data";
import { TaskPicker } from "@/pages/table/checklist/TaskPicker";
import { Field, FormDialog } from "@/parts/Form";
import { useToast } from "@/parts/Toasts";

export function AddTask({ id, tasks, close }: { id: string; tasks: Task[]; close: () => void }) {
  const [description, setDescription] = useState("");
  const [priority, setPriority] = useState<Priority>("medium");
  const [assignee, setAssignee] = useState("");
  const [before, setBefore] = useState<string[]>([]);
  const add = useAddTask(id);
  const say = useToast();
  const save = () => {
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
    <FormDialog
      title="Add a task"
      about="Agents see it at once and can claim it, unless you name one of them."
      action="Add the task"
      complete={description.trim() !== ""}
      saving={add}
      save={save}
      close={close}
    >
      <Field label="What is to be done">
        {(field) => (
          <textarea
            id={field}
            required
            maxLength={10_000}
            value={description}
            onChange={(event) => setDescription(event.target.value)}
          />
        )}
      </Field>
      <div className={styles.pair}>
        <Field label="Priority">{(field) => <PrioritySelect id={field} value={priority} choose={setPriority} />}</Field>
        <AgentInput id={id} value={assignee} change={setAssignee} />
      </div>
      {tasks.length > 0 && <TaskPicker tasks={tasks} chosen={before} choose={setBefore} />}
    </FormDialog>
  );
}

const PRIORITY_NAMES: Record<Priority, string> = { high: "High", medium: "Medium", low: "Low" };

function PrioritySelect({ id, value, choose }: { id: string; value: Priority; choose: (value: Priority) => void }) {
  const chosen = (name: string) => choose(PRIORITIES.find((candidate) => candidate === name) ?? value);
  return (
    <select id={id} value={value} onChange={(event) => chosen(event.target.value)}>
      {PRIORITIES.map((priority) => (
        <option key={priority} value={priority}>
          {PRIORITY_NAMES[priority]}
        </option>
      ))}
    </select>
  );
}
