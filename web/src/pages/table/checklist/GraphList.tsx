import { useState } from "react";
import { nameOf, type Task, WORDS } from "@/pages/table/checklist/board";
import styles from "@/pages/table/checklist/checklist.module.css";
import { Text } from "@/parts/Text";

/** The same as the drawing, for those who would rather read or hear it. */
export function GraphList({ tasks, show }: { tasks: Task[]; show: (task: Task) => void }) {
  const [open, setOpen] = useState(false);
  return (
    <details className={styles.list} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>The graph as a list</summary>
      {open && (
        <ul aria-label="Tasks and what they wait for">
          {tasks.map((task) => (
            <li key={task.id}>
              <button type="button" className={styles.link} onClick={() => show(task)}>
                <Text>{nameOf(task)}</Text>
              </button>{" "}
              <span className="soft small">
                {task.id}, {WORDS[task.status].toLowerCase()}
                {task.depends_on.length > 0 && <>, after {task.depends_on.join(", ")}</>}
                {task.blocked_by.length > 0 && <>, waits for {task.blocked_by.join(", ")}</>}
              </span>
            </li>
          ))}
        </ul>
      )}
    </details>
  );
}
