import type { Schemas } from "@/api/client";
import { cut, plainText } from "@/pages/table/plainText";

export type Message = Schemas["MessageView"];
export type Visibility = NonNullable<Schemas["AddMessage"]["visibility"]>;

export const CHOICES: Record<Visibility, string> = {
  public: "Everyone at the table",
  agent_only: "Agents without a type of their own",
  private: "Nobody but people",
};

/** The type of agents that have none of their own; people have it too. */
export const PLAIN_TYPE = "generic";

/** Who can read a message, in words; nothing for what all can read. */
export function readers(message: Pick<Message, "visibility" | "sender" | "sender_type" | "to">): string | null {
  if (message.to && message.to !== message.sender) return `Only ${message.sender} and ${message.to} can read this`;
  if (message.visibility === "private") return `Only ${message.sender} can read this`;
  if (message.visibility === "agent_only") return `Only agents of type ${message.sender_type} can read this`;
  return null;
}

/** How visible a reply can be. It must not reach further than what it answers; where it would not even reach whoever
 * wrote that, there is no sense in one. */
export function replyChoices(parent: Message, me: string): Visibility[] {
  if (parent.visibility === "public") return ["public", "agent_only", "private"];
  if (parent.visibility === "agent_only" && parent.sender_type === PLAIN_TYPE) return ["agent_only", "private"];
  return parent.sender === me ? ["private"] : [];
}

export function isPerson(sender: string): boolean {
  return sender.startsWith("human:");
}

/** The first line of a text, for quoting it, without the marks of Markdown. */
export function firstLine(text: string, longest = 120): string {
  return cut(plainText(text.trim().slice(0, longest * 4)).split("\n", 1)[0] ?? "", longest);
}

/** So long after the last one a message begins a block of its own. */
const PAUSE = 10 * 60_000;

/** Whether a message goes on in the block of the one before: the same sender, to the same readers, soon after. */
export function goesOn(message: Message, before: Message | undefined): boolean {
  if (!before || message.parent_message_id !== null) return false;
  const same =
    message.sender === before.sender && message.sender_type === before.sender_type && message.to === before.to;
  const alike = message.visibility === before.visibility && readers(message) === readers(before);
  return same && alike && Date.parse(message.timestamp) - Date.parse(before.timestamp) < PAUSE;
}
