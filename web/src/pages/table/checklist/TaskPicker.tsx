import { useId, useState } from "react";
import { nameOf, type Task, WORDS } from "@/pages/table/checklist/board";
import { matching } from "@/pages/table/checklist/change";
import styles from "@/pages/table/checklist/checklist.module.css";
import { Text } from "@/parts/Text";

/** More tasks than this are found by the search field. */
const SHOWN = 30;

/** Chooses the tasks that must be done before. */
export function TaskPicker({
  tasks,
  chosen,
  choose,
}: {
  tasks: Task[];
  chosen: string[];
  choose: (ids: string[]) => void;
}) {
  const [words, setWords] = useState("");
  const field = useId();
  const found = matching(tasks, chosen, words);
  const toggle = (id: string) => choose(chosen.includes(id) ? chosen.filter((other) => other !== id) : [...chosen, id]);
  return (
    <fieldset className={styles.picker}>
      <legend>Waits for {chosen.length > 0 && <span className="soft">({chosen.join(", ")})</span>}</legend>
      {tasks.length > 8 && (
        <>
          <label htmlFor={field} className="hidden-but-read">
            Find a task
          </label>
          <input
            id={field}
            type="search"
            placeholder="Find a task"
            value={words}
            onChange={(event) => setWords(event.target.value)}
          />
        </>
      )}
      <ul className="plain-list">
        {found.slice(0, SHOWN).map((task) => (
          <li key={task.id}>
            <label>
              <input type="checkbox" checked={chosen.includes(task.id)} onChange={() => toggle(task.id)} />
              <span>
                <Text>{nameOf(task)}</Text>{" "}
                <span className="soft small">
                  {task.id}, {WORDS[task.status].toLowerCase()}
                </span>
              </span>
            </label>
          </li>
        ))}
      </ul>
      {found.length > SHOWN && <p className="soft small">And {found.length - SHOWN} more: find them by words.</p>}
    </fieldset>
  );
}
