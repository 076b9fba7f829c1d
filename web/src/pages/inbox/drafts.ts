import { useState } from "react";

/** What people have begun to write, by item: it outlives a look at another page. */
const drafts = new Map<string, string>();

export function hasDraft(id: string): boolean {
  return drafts.has(id);
}

export function forget(id: string): void {
  drafts.delete(id);
}

export function useDraft(id: string): [string, (text: string) => void] {
  const [text, setText] = useState(() => drafts.get(id) ?? "");
  const keep = (next: string) => {
    if (next) drafts.set(id, next);
    else drafts.delete(id);
    setText(next);
  };
  return [text, keep];
}
