import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { client, unwrap } from "@/api/client";
import { keys } from "@/api/queries";
import type { Message } from "@/pages/table/messages/visibility";
import { type Reading, type Recent, useRecent } from "@/pages/table/recent";

const PAGE = 200;
const CATCH_UP = 200;
/** A thread longer than this is shown by its beginning. */
export const LONGEST_THREAD = 200;

const numberOf = (message: Message) => message.id;

type MessageQuery = { limit: number; before_id?: number; after_id?: number; thread?: number; order?: "oldest" };

function ask(id: string, query: MessageQuery, signal?: AbortSignal) {
  const options = { params: { path: { session_id: id }, query } };
  return unwrap(client.GET("/sessions/{session_id}/messages", signal ? { ...options, signal } : options));
}

/** The newest messages, or those around one of them. */
export function useTalk(id: string, around: number | undefined) {
  const reading = useMemo<Reading<Message>>(
    () => ({
      queryKey: [...keys.of(id, "messages"), "all", around],
      numberOf,
      around,
      before: async (number, signal): Promise<Recent<Message>> => {
        const page = await ask(id, { limit: PAGE, ...(number === null ? {} : { before_id: number }) }, signal);
        return { items: page.messages, older: page.has_more };
      },
      after: async (number, signal) => {
        const page = await ask(id, { after_id: number, limit: CATCH_UP }, signal);
        return { items: page.messages, more: page.has_more };
      },
    }),
    [id, around],
  );
  return useRecent(reading);
}

/** The whole thread that a message is in. */
export function useThread(id: string, message: Message | null, known: ReadonlyMap<number, Message>) {
  return useQuery({
    queryKey: [...keys.of(id, "messages"), "thread", message?.id],
    enabled: message !== null,
    queryFn: async ({ signal }) => {
      const one = async (number: number) =>
        known.get(number) ?? (await ask(id, { before_id: number + 1, limit: 1 }, signal)).messages[0];
      const root = message ? await rootOf(message, one) : 0;
      return ask(id, { thread: root, order: "oldest", limit: LONGEST_THREAD }, signal);
    },
  });
}

/** Climbs from a message to the first one of its thread. */
export async function rootOf(message: Message, one: (number: number) => Promise<Message | undefined>): Promise<number> {
  let here = message;
  while (here.parent_message_id !== null) {
    const parent = await one(here.parent_message_id);
    if (!parent || parent.id >= here.id) return here.parent_message_id;
    here = parent;
  }
  return here.id;
}

export interface Threaded {
  message: Message;
  depth: number;
}

const DEEPEST = 4;

/** A thread in the order of a conversation: each answer under what it answers. */
export function threaded(messages: Message[]): Threaded[] {
  const answers = new Map<number | null, Message[]>();
  const known = new Set(messages.map(numberOf));
  for (const message of messages) {
    const parent = message.parent_message_id;
    const under = parent !== null && known.has(parent) ? parent : null;
    answers.set(under, [...(answers.get(under) ?? []), message]);
  }
  const shown: Threaded[] = [];
  const waiting = (answers.get(null) ?? []).map((message) => ({ message, depth: 0 })).reverse();
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    shown.push(next);
    const depth = Math.min(next.depth + 1, DEEPEST);
    for (const answer of [...(answers.get(next.message.id) ?? [])].reverse()) waiting.push({ message: answer, depth });
  }
  return shown;
}
