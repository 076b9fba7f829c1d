import type { ReactNode } from "react";

export type Tone = "plain" | "mark" | "good" | "warn" | "bad" | "calm";

export function Badge({ tone = "plain", title, children }: { tone?: Tone; title?: string; children: ReactNode }) {
  return (
    <span className="badge" data-tone={tone} title={title}>
      {children}
    </span>
  );
}
