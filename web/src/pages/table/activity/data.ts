import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { client, unwrap } from "@/api/client";
import { keys } from "@/api/queries";
import { isLiveEvent, type LiveEvent } from "@/live/event";
import type { Names } from "@/pages/table/activity/sentence";
import { type Reading, useRecent } from "@/pages/table/recent";

const PAGE = 200;

const numberOf = (event: LiveEvent) => event.seq;

async function page(id: string, before: number | null, signal?: AbortSignal) {
  const query = before === null ? { limit: PAGE } : { limit: PAGE, before };
  const options = { params: { path: { session_id: id }, query } };
  const answer = await unwrap(client.GET("/sessions/{session_id}/activity", signal ? { ...options, signal } : options));
  return { items: answer.events.filter(isLiveEvent).reverse(), next: answer.next_before };
}

export function useActivity(id: string) {
  const reading = useMemo<Reading<LiveEvent>>(
    () => ({
      queryKey: [...keys.of(id, "activity"), "all"],
      numberOf,
      before: async (number, signal) => {
        const { items, next } = await page(id, number, signal);
        return { items, older: next !== null };
      },
      after: async (number, signal) => {
        let found: LiveEvent[] = [];
        let before: number | null = null;
        for (;;) {
          const { items, next }: Awaited<ReturnType<typeof page>> = await page(id, before, signal);
          found = [...items, ...found];
          if (next === null || (items[0]?.seq ?? 0) <= number)
            return { items: found.filter((event) => event.seq > number), more: false };
          before = next;
        }
      },
    }),
    [id],
  );
  return useRecent(reading);
}

/** Titles of sections, descriptions of tasks, and the questions, as the events quote them. */
export function useNames(id: string, events: LiveEvent[]): Names {
  const path = { session_id: id };
  const sections = useQuery({
    queryKey: [...keys.of(id, "draft"), "titles"],
    queryFn: ({ signal }) =>
      unwrap(
        client.GET("/sessions/{session_id}/draft", { params: { path, query: { include_content: false } }, signal }),
      ),
  });
  const plan = useQuery({
    queryKey: [...keys.of(id, "plan"), "names"],
    queryFn: ({ signal }) => unwrap(client.GET("/sessions/{session_id}/plan", { params: { path }, signal })),
  });
  return useMemo(
    () => ({
      sections: new Map(sections.data?.sections?.map((section) => [section.section_id, section.title])),
      tasks: new Map(plan.data?.tasks.map((task) => [task.id, task.description])),
      questions: new Map(
        events
          .filter((event) => event.kind === "scratchpad/question_added")
          .map((event) => [String(event.question_id), String(event.question_preview)]),
      ),
    }),
    [sections.data, plan.data, events],
  );
}
