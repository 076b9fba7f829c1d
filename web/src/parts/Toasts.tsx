import { createContext, type ReactNode, useCallback, useContext, useState } from "react";
import { ApiError } from "@/api/client";

interface Toast {
  id: number;
  text: string;
  tone: "plain" | "bad";
}

type Say = (text: string, tone?: Toast["tone"]) => void;

const Context = createContext<Say>(() => {});
const SHOWN_FOR = 6_000;
let counter = 0;

export function Toasts({ children }: { children: ReactNode }) {
  const [toasts, setToasts] = useState<Toast[]>([]);
  const say = useCallback<Say>((text, tone = "plain") => {
    counter += 1;
    const toast = { id: counter, text, tone };
    setToasts((shown) => [...shown.slice(-3), toast]);
    setTimeout(() => setToasts((shown) => shown.filter((other) => other.id !== toast.id)), SHOWN_FOR);
  }, []);
  return (
    <Context value={say}>
      {children}
      <ul className="toasts" aria-live="polite">
        {toasts.map((toast) => (
          <li key={toast.id} className="toast" data-tone={toast.tone}>
            {toast.text}
          </li>
        ))}
      </ul>
    </Context>
  );
}

/** Says in a corner that something is done. */
export function useSay(): Say {
  return useContext(Context);
}

/** Says in a corner what went wrong: for actions whose place may be gone by then. */
export function useSayProblem(): (problem: unknown) => void {
  const say = useSay();
  return useCallback(
    (problem) => {
      const hint = problem instanceof ApiError && problem.hint ? ` ${problem.hint}` : "";
      say(`${problem instanceof Error ? problem.message : "Something went wrong."}${hint}`, "bad");
    },
    [say],
  );
}
