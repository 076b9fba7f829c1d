import { Check, Copy as Icon } from "lucide-react";
import { useState } from "react";
import { Button } from "@/parts/Button";

export function Copy({ text, label = "Copy" }: { text: string; label?: string }) {
  const [done, setDone] = useState(false);
  const copy = async () => {
    if (await copied(text)) {
      setDone(true);
      setTimeout(() => setDone(false), 2_000);
    }
  };
  return (
    <Button small onClick={() => void copy()}>
      {done ? <Check size={14} aria-hidden="true" /> : <Icon size={14} aria-hidden="true" />}
      <span aria-live="polite">{done ? "Copied" : label}</span>
    </Button>
  );
}

export async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copiedByHand(text);
  }
}

/** For pages that came over plain HTTP from another machine: there is no clipboard to write to. */
function copiedByHand(text: string): boolean {
  const field = document.createElement("textarea");
  field.value = text;
  document.body.append(field);
  field.select();
  const worked = document.execCommand("copy");
  field.remove();
  return worked;
}
