import { useState } from "react";
import { useSmall } from "@/pages/table/narrow";

const KEY = "longtable-head";

function chosen(): boolean | undefined {
  const kept = localStorage.getItem(KEY);
  return kept === null ? undefined : kept === "folded";
}

/** Whether the head of a table is one line: as somebody chose it, else where room is scarce and there is much to read. */
export function useFolded(at: string): [boolean, (folded: boolean) => void] {
  const small = useSmall();
  const [choice, setChoice] = useState(chosen);
  const folded = choice ?? (small && /\/messages(\/|$)/.test(at));
  const choose = (wanted: boolean) => {
    localStorage.setItem(KEY, wanted ? "folded" : "open");
    setChoice(wanted);
  };
  return [folded, choose];
}
