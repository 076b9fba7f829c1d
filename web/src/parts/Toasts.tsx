import { createContext, type ReactNode, useCallback, useContext, useState } from "react";
import { ApiError } from "@/api/client";

interface Toast {
  id: number;
  text: string;
  tone: "plain" | "bad";
}

type ShowToast = (text: string, tone?: Toast["tone"]) => void;

const ToastContext = createContext<ShowToast>(() => {});
const SHOWN_FOR = 6_000;
let counter = 0;

export function Toasts({ children }: { children: ReactNode }) {
  const [toasts, setToasts] = useState<Toast[]>([]);
  const say = useCallback<ShowToast>((text, tone = "plain") => {
    counter += 1;
    const toast = { id: counter, text, tone };
    setToasts((shown) => [...shown.slice(-3), toast]);
    setTimeout(() => setToasts((shown) => shown.filter((other) => other.id !== toast.id)), SHOWN_FOR);
  }, []);
  return (
    <ToastContext value={say}>
      {children}
      <ul className="toasts" aria-live="polite">
        {toasts.map((toast) => (
          <li key={toast.id} className="toast" data-tone={toast.tone}>
            {toast.text}
          </li>
        ))}
      </ul>
    </ToastContext>
  );
}

/** Says in a corner that something is done. */
export function useToast(): ShowToast {
  return useContext(ToastContext);
}

/** Says in a corner what went wrong: for actions whose place may be gone by then. */
export function useErrorToast(): (problem: unknown) => void {
  const say = useToast();
  return useCallback(
    (problem) => {
      const hint = problem instanceof ApiError && problem.hint ? ` ${problem.hint}` : "";
      say(`${problem instanceof Error ? problem.message : "Something went wrong."}${hint}`, "bad");
    },
    [say],
  );
}
