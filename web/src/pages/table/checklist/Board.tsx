import { useMemo } from "react";
import { board, type Column, type Task } from "@/pages/table/checklist/board";
import { Card } from "@/pages/table/checklist/Card";
import styles from "@/pages/table/checklist/checklist.module.css";
import { HeldList } from "@/parts/HeldList";

const idOf = (task: Task) => task.id;

/** Longer columns hold only the cards that are in sight. */
const SHORT = 60;

export function Board({ tasks, show }: { tasks: Task[]; show: (task: Task) => void }) {
  const columns = useMemo(() => board(tasks), [tasks]);
  return (
    <div className={styles.board}>
      {columns.map((column) => (
        <Lane key={column.id} column={column} show={show} />
      ))}
    </div>
  );
}

function Lane({ column, show }: { column: Column; show: (task: Task) => void }) {
  const { tasks, title } = column;
  return (
    <section className={styles.lane} aria-labelledby={`lane-${column.id}`} data-empty={tasks.length === 0 || undefined}>
      <h3 id={`lane-${column.id}`} className="row apart">
        {title} <span className="soft">{tasks.length}</span>
      </h3>
      {tasks.length === 0 && <p className="soft small">{column.empty}</p>}
      {tasks.length > SHORT ? (
        <div className={styles.long}>
          <HeldList items={tasks} label={`${title} tasks`} idOf={idOf} estimate={112}>
            {(task) => <Card task={task} show={show} />}
          </HeldList>
        </div>
      ) : (
        <ul className="plain-list stack">
          {tasks.map((task) => (
            <li key={task.id}>
              <Card task={task} show={show} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
