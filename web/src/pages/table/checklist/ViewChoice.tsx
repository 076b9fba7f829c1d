import { Columns3, Workflow } from "lucide-react";
import { ToggleGroup } from "radix-ui";
import { useState } from "react";
import styles from "@/pages/table/checklist/checklist.module.css";

export type ChosenView = "board" | "graph";

const KEY = "longtable-checklist-view";

/** The same view as last time, in every session. */
export function useChosenView(): [ChosenView, (view: ChosenView) => void] {
  const [view, setView] = useState<ChosenView>(() => (localStorage.getItem(KEY) === "graph" ? "graph" : "board"));
  const choose = (next: ChosenView) => {
    localStorage.setItem(KEY, next);
    setView(next);
  };
  return [view, choose];
}

export function ViewChoice({ view, choose }: { view: ChosenView; choose: (view: ChosenView) => void }) {
  return (
    <ToggleGroup.Root
      type="single"
      className={styles.choice}
      aria-label="View of the checklist"
      value={view}
      onValueChange={(next) => {
        if (next === "board" || next === "graph") choose(next);
      }}
    >
      <ToggleGroup.Item value="board">
        <Columns3 size={16} aria-hidden="true" /> Board
      </ToggleGroup.Item>
      <ToggleGroup.Item value="graph">
        <Workflow size={16} aria-hidden="true" /> Graph
      </ToggleGroup.Item>
    </ToggleGroup.Root>
  );
}
