import type { Intent } from "@/pages/gateway/data";

export interface Conversation {
  id: string;
  intents: Intent[];
}

/** By conversation, the one with the newest intent first; inside it in the order in which things were said. */
export function byConversation(newestFirst: Intent[]): Conversation[] {
  const found = new Map<string, Intent[]>();
  for (const intent of newestFirst) {
    const said = found.get(intent.conversation_id);
    if (said) said.unshift(intent);
    else found.set(intent.conversation_id, [intent]);
  }
  return [...found].map(([id, intents]) => ({ id, intents }));
}
