import { useMemo } from "react";
import { board, type Task, type TaskColumn } from "@/pages/table/checklist/board";
import styles from "@/pages/table/checklist/checklist.module.css";
import { TaskCard } from "@/pages/table/checklist/TaskCard";
import { VirtualList } from "@/parts/VirtualList";

const idOf = (task: Task) => task.id;

/** Longer columns hold only the cards that are in sight. */
const SHORT = 60;

export function TaskBoard({ tasks, show }: { tasks: Task[]; show: (task: Task) => void }) {
  const columns = useMemo(() => board(tasks), [tasks]);
  return (
    <div className={styles.board}>
      {columns.map((column) => (
        <Lane key={column.id} column={column} show={show} />
      ))}
    </div>
  );
}

function Lane({ column, show }: { column: TaskColumn; show: (task: Task) => void }) {
  const { tasks, title } = column;
  return (
    <section className={styles.lane} aria-labelledby={`lane-${column.id}`} data-empty={tasks.length === 0 || undefined}>
      <h3 id={`lane-${column.id}`} className="row apart">
        {title} <span className="soft">{tasks.length}</span>
      </h3>
      {tasks.length === 0 && <p className="soft small">{column.empty}</p>}
      {tasks.length > SHORT ? (
        <div className={styles.long}>
          <VirtualList items={tasks} label={`${title} tasks`} idOf={idOf} estimate={112}>
            {(task) => <TaskCard task={task} show={show} />}
          </VirtualList>
        </div>
      ) : (
        <ul className="plain-list stack">
          {tasks.map((task) => (
            <li key={task.id}>
              <TaskCard task={task} show={show} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
