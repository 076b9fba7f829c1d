import { type DragEvent, useMemo, useState } from "react";
import { board, type Task, type TaskColumn } from "@/pages/table/checklist/board";
import styles from "@/pages/table/checklist/checklist.module.css";
import { dropped, type Move } from "@/pages/table/checklist/moving";
import { DRAGGED, TaskCard } from "@/pages/table/checklist/TaskCard";
import { VirtualList } from "@/parts/VirtualList";

const idOf = (task: Task) => task.id;

/** Longer columns hold only the cards that are in sight. */
const SHORT = 60;

interface BoardActs {
  show: (task: Task) => void;
  /** Undefined where nothing can be moved. */
  move?: ((move: Move) => void) | undefined;
}

export function TaskBoard({ tasks, show, move }: BoardActs & { tasks: Task[] }) {
  const columns = useMemo(() => board(tasks), [tasks]);
  return (
    <div className={styles.board}>
      {columns.map((column) => (
        <Lane key={column.id} column={column} show={show} move={move} drop={move && dropOf(tasks, column.id, move)} />
      ))}
    </div>
  );
}

/** What happens when a task is let go over a column. */
function dropOf(tasks: Task[], column: string, move: (move: Move) => void) {
  return (event: DragEvent<HTMLElement>) => {
    const byId = (id: string | undefined) => tasks.find((task) => task.id === id);
    const task = byId(event.dataTransfer.getData(DRAGGED));
    const card = event.target instanceof Element ? event.target.closest<HTMLElement>("[data-task]") : null;
    const next = task && dropped(task, column, byId(card?.dataset.task));
    event.preventDefault();
    if (next) move(next);
  };
}

function Lane({
  column,
  show,
  move,
  drop,
}: BoardActs & { column: TaskColumn; drop: ((event: DragEvent<HTMLElement>) => void) | undefined }) {
  const { tasks, title } = column;
  const [over, setOver] = useState(false);
  const card = (task: Task) => <TaskCard task={task} show={show} move={move} />;
  const accepts = (event: DragEvent<HTMLElement>) => {
    if (!drop || !event.dataTransfer.types.includes(DRAGGED)) return;
    event.preventDefault();
    setOver(true);
  };
  const leaves = (event: DragEvent<HTMLElement>) => {
    if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false);
  };
  return (
    <section
      className={styles.lane}
      aria-labelledby={`lane-${column.id}`}
      data-empty={tasks.length === 0 || undefined}
      data-over={over || undefined}
      onDragOver={accepts}
      onDragLeave={leaves}
      onDrop={(event) => {
        setOver(false);
        drop?.(event);
      }}
    >
      <h3 id={`lane-${column.id}`} className="row apart">
        {title} <span className="soft">{tasks.length}</span>
      </h3>
      {tasks.length === 0 && <p className="soft small">{column.empty}</p>}
      {tasks.length > SHORT ? (
        <div className={styles.long}>
          <VirtualList items={tasks} label={`${title} tasks`} idOf={idOf} estimate={112}>
            {card}
          </VirtualList>
        </div>
      ) : (
        <ul className="plain-list stack">
          {tasks.map((task) => (
            <li key={task.id}>{card(task)}</li>
          ))}
        </ul>
      )}
    </section>
  );
}
