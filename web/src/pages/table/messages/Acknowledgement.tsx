import { Check, Hourglass } from "lucide-react";
import { useState } from "react";
import { useLiveEvents } from "@/live/EventStreamProvider";
import type { Message } from "@/pages/table/messages/visibility";
import { Badge } from "@/parts/Badge";
import { Text } from "@/parts/Text";

/** Whether the agent that was asked to pause, to go on or to stop knows of it. */
export function Acknowledgement({ message }: { message: Message }) {
  const [heard, setHeard] = useState(false);
  // The list reads only what is newer; that an older message was acknowledged, an event tells.
  useLiveEvents((event) => {
    if (event.kind === "message/acknowledged" && event.message_id === message.id) setHeard(true);
  });
  if (message.kind !== "control") return null;
  const known = heard || message.acknowledged_at !== undefined;
  return (
    <p className="small">
      <Badge tone={known ? "good" : "warn"}>
        {known ? <Check size={12} aria-hidden="true" /> : <Hourglass size={12} aria-hidden="true" />}{" "}
        <Text>{message.to ?? "The agent"}</Text> {known ? "knows of it" : "does not know of it yet"}
      </Badge>
    </p>
  );
}
