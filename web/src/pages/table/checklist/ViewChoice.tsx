import { Columns3, Workflow } from "lucide-react";
import { useId, useState } from "react";
import styles from "@/pages/table/checklist/checklist.module.css";
import { useSearchParam } from "@/parts/address";

type ChosenView = "board" | "graph";

const KEY = "longtable-checklist-view";

/** The view that the address names; else the same as last time, in every session. */
export function useChosenView(): [ChosenView, (view: ChosenView) => void] {
  const [named, name] = useSearchParam("view");
  const [last, setLast] = useState(() => localStorage.getItem(KEY));
  const choose = (next: ChosenView) => {
    localStorage.setItem(KEY, next);
    setLast(next);
    name(next);
  };
  return [(named || last) === "graph" ? "graph" : "board", choose];
}

const VIEWS = [
  { id: "board", title: "Board", icon: Columns3 },
  { id: "graph", title: "Graph", icon: Workflow },
] as const;

export function ViewChoice({ view, choose }: { view: ChosenView; choose: (view: ChosenView) => void }) {
  const name = useId();
  return (
    <fieldset className={styles.choice}>
      <legend className="hidden-but-read">View of the checklist</legend>
      {VIEWS.map(({ id, title, icon: Icon }) => (
        <label key={id}>
          <input type="radio" name={name} checked={view === id} onChange={() => choose(id)} />
          <Icon size={16} aria-hidden="true" /> {title}
        </label>
      ))}
    </fieldset>
  );
}
