import { Check, Copy as Icon } from "lucide-react";
import { useState } from "react";
import { readWhole } from "@/pages/table/manuscript/data";
import { Button } from "@/parts/Button";
import { Copy } from "@/parts/Copy";
import { useErrorToast } from "@/parts/Toasts";

type CopyState = { is: "idle" | "reading" | "done" } | { is: "ready"; text: string };

/** Reads the whole draft only when somebody wants to take it along. */
export function CopyWhole({ id }: { id: string }) {
  const [state, setState] = useState<CopyState>({ is: "idle" });
  const sayProblem = useErrorToast();
  const copy = async () => {
    setState({ is: "reading" });
    const reading = readWhole(id);
    if (await copiedWhenRead(reading)) {
      setState({ is: "done" });
      setTimeout(() => setState({ is: "idle" }), 2_000);
      return;
    }
    try {
      setState({ is: "ready", text: await reading });
    } catch (problem) {
      sayProblem(problem);
      setState({ is: "idle" });
    }
  };
  if (state.is === "ready") return <Copy text={state.text} label="The draft is ready: copy it" />;
  const Sign = state.is === "done" ? Check : Icon;
  return (
    <Button onClick={() => void copy()} busy={state.is === "reading"}>
      {state.is !== "reading" && <Sign size={16} aria-hidden="true" />}
      <span aria-live="polite">{state.is === "done" ? "Copied" : "Copy the whole draft"}</span>
    </Button>
  );
}

/** A browser that has a clipboard here takes the promise of a text: by the time it is read, the press is long over. */
async function copiedWhenRead(reading: Promise<string>): Promise<boolean> {
  try {
    const blob = reading.then((text) => new Blob([text], { type: "text/plain" }));
    blob.catch(() => undefined);
    await navigator.clipboard.write([new ClipboardItem({ "text/plain": blob })]);
    return true;
  } catch {
    return false;
  }
}
