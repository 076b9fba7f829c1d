import { CircleCheck, CircleDashed, CircleMinus, CircleX, TriangleAlert } from "lucide-react";
import type { State } from "@/pages/notebooks/findings";
import { Badge } from "@/parts/Badge";

/** What the last check said: in words and by a sign, not by colour alone. */
export function StateBadge({ state, busy }: { state: State; busy: boolean }) {
  if (busy) {
    return (
      <Badge>
        <span className="wheel" aria-hidden="true" /> Checking
      </Badge>
    );
  }
  if (state.is === "unchecked") {
    return (
      <Badge>
        <CircleDashed size={14} aria-hidden="true" /> Not checked
      </Badge>
    );
  }
  if (state.is === "nothing") {
    return (
      <Badge title={state.why}>
        <CircleMinus size={14} aria-hidden="true" /> Nothing to check
      </Badge>
    );
  }
  if (state.is === "valid") {
    return (
      <Badge tone="good">
        <CircleCheck size={14} aria-hidden="true" /> Valid
      </Badge>
    );
  }
  return (
    <Badge tone={state.is === "errors" ? "bad" : "warn"}>
      {state.is === "errors" ? (
        <CircleX size={14} aria-hidden="true" />
      ) : (
        <TriangleAlert size={14} aria-hidden="true" />
      )}
      {state.words}
    </Badge>
  );
}
