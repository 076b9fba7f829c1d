import { AgentInput } from "@/pages/table/checklist/AgentInput";
import { PRIORITIES, type Priority, type Task } from "@/pages/table/checklist/board";
import styles from "@/pages/table/checklist/checklist.module.css";
import { useAddTask } from "@/pages/table/checklist/data";
import { TaskPicker } from "@/pages/table/checklist/TaskPicker";
import { useDraft } from "@/parts/drafts";
import { Field, FormDialog } from "@/parts/Form";
import { useToast } from "@/parts/Toasts";

const EMPTY = { description: "", priority: "medium" as Priority, assignee: "", before: [] as string[] };

export function AddTask({ id, tasks, close }: { id: string; tasks: Task[]; close: () => void }) {
  const [task, write, forget] = useDraft(`task/${id}`, EMPTY);
  const { description, priority, assignee, before } = task;
  const leave = () => {
    forget();
    close();
  };
  const add = useAddTask(id);
  const say = useToast();
  const save = () => {
    const fields = {
      description: description.trim(),
      priority,
      ...(assignee.trim() && { assigned_to: assignee.trim() }),
      ...(before.length > 0 && { depends_on: before }),
    };
    const done = (answer: { tasks: { id: string }[] }) => {
      say(`Task ${answer.tasks[0]?.id ?? ""} is added.`);
      leave();
    };
    add.mutate(fields, { onSuccess: done });
  };
  return (
    <FormDialog
      title="Add a task"
      about="Agents see it at once and can claim it, unless you name one of them."
      action="Add the task"
      complete={description.trim() !== ""}
      saving={add}
      save={save}
      close={leave}
    >
      <Field label="What is to be done">
        {(field) => (
          <textarea
            id={field}
            required
            maxLength={10_000}
            value={description}
            onChange={(event) => write({ ...task, description: event.target.value })}
          />
        )}
      </Field>
      <div className={styles.pair}>
        <Field label="Priority">
          {(field) => (
            <PrioritySelect id={field} value={priority} choose={(next) => write({ ...task, priority: next })} />
          )}
        </Field>
        <AgentInput id={id} value={assignee} change={(next) => write({ ...task, assignee: next })} />
      </div>
      {tasks.length > 0 && (
        <TaskPicker tasks={tasks} chosen={before} choose={(next) => write({ ...task, before: next })} />
      )}
    </FormDialog>
  );
}

const PRIORITY_NAMES: Record<Priority, string> = { high: "High", medium: "Medium", low: "Low" };

export function PrioritySelect({
  id,
  value,
  choose,
}: {
  id: string;
  value: Priority;
  choose: (value: Priority) => void;
}) {
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
