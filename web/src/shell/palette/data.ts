import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useLocation } from "wouter";
import { client, unwrap } from "@/api/client";
import { keys } from "@/api/queries";
import { addressOf, idOfHit } from "@/pages/notebooks/hits";
import { type HitKind, TEXT_KINDS, useSearch, WORK_KINDS } from "@/pages/notebooks/searching";
import { useNowRead } from "@/pages/now/data";
import { plainText } from "@/pages/table/plainText";
import { pages } from "@/shell/pages";
import type { EntryGroup, PaletteEntry } from "@/shell/palette/entries";

const SESSIONS = 200;
const HITS = 12;
const KINDS: Record<string, string> = {
  note: "Note",
  message: "Message",
  section: "Section",
  cell: "Cell",
  scratchpad: "Scratchpad",
  task: "Task",
  question: "Question",
};

type GoTo = (address: string) => void;

/** The session that the page behind shows. */
function useSessionHere(): string | undefined {
  const [location] = useLocation();
  const found = /^\/sessions\/([^/]+)/.exec(location)?.[1];
  return found && decodeURIComponent(found);
}

const table = (session: string, place = "") => `/sessions/${encodeURIComponent(session)}${place}`;

function useSessionEntries(go: GoTo): PaletteEntry[] {
  const { data } = useQuery({
    queryKey: [...keys.overview, "palette"],
    queryFn: ({ signal }) => unwrap(client.GET("/overview", { params: { query: { limit: SESSIONS } }, signal })),
  });
  return useMemo(
    () =>
      (data?.sessions ?? []).map((session) => ({
        id: `session ${session.session_id}`,
        title: session.purpose || session.session_id,
        about: session.status === "active" ? "" : session.status,
        also: session.session_id,
        act: () => go(table(session.session_id)),
      })),
    [data, go],
  );
}

/** Those of the session behind, else those that agents work on. */
function useTaskEntries(go: GoTo): PaletteEntry[] {
  const here = useSessionHere();
  const now = useNowRead().data;
  const { data } = useQuery({
    queryKey: [...keys.of(here ?? "", "plan"), "names"],
    enabled: here !== undefined,
    queryFn: ({ signal }) =>
      unwrap(client.GET("/sessions/{session_id}/plan", { params: { path: { session_id: here ?? "" } }, signal })),
  });
  return useMemo(() => {
    const entry = (session: string, task: { id: string; description: string }, about: string): PaletteEntry => ({
      id: `task ${session} ${task.id}`,
      title: plainText(task.description).slice(0, 120),
      about: `${task.id} ${about}`.trim(),
      act: () => go(table(session, `/plan/${task.id}`)),
    });
    const planned = (data?.tasks ?? []).map((task) => entry(here ?? "", task, task.status.replace("_", " ")));
    const held = (now?.agents ?? []).flatMap(({ task, session_id, agent }) =>
      task && session_id !== here
        ? [entry(session_id, { id: task.task_id, description: task.title }, `with ${agent}`)]
        : [],
    );
    return [...planned, ...held];
  }, [data, now, here, go]);
}

function useAgentEntries(go: GoTo): PaletteEntry[] {
  const now = useNowRead().data;
  return useMemo(
    () =>
      (now?.agents ?? []).map(({ agent, session_id, purpose, task }) => ({
        id: `agent ${session_id} ${agent}`,
        title: agent,
        about: `at ${purpose || session_id}`,
        act: () => go(table(session_id, task ? `/plan/${task.task_id}` : "/activity")),
      })),
    [now, go],
  );
}

/** Everything that can be gone to or done, in the order in which it is shown. */
export function useEntries(actions: PaletteEntry[], go: GoTo): EntryGroup[] {
  const sessions = useSessionEntries(go);
  const tasks = useTaskEntries(go);
  const agents = useAgentEntries(go);
  return useMemo(
    () => [
      {
        title: "Pages",
        entries: pages.map((page) => ({
          id: `page ${page.path}`,
          title: page.title,
          about: `g ${page.key}`,
          act: () => go(page.path),
        })),
      },
      { title: "Sessions", entries: sessions },
      { title: "Tasks", entries: tasks },
      { title: "Agents", entries: agents },
      { title: "Actions", entries: actions },
    ],
    [sessions, tasks, agents, actions, go],
  );
}

/** What was written in any session or notebook; and what is planned or asked in any session, but for what is listed
 * already. */
export function useHits(text: string, go: GoTo, listed: EntryGroup[]) {
  const texts = useHitsOf(TEXT_KINDS, text, go);
  const work = useHitsOf(WORK_KINDS, text, go);
  const groups = useMemo(() => {
    const known = new Set(listed.flatMap(({ entries }) => entries.map(({ id }) => id)));
    return [
      { title: "Tasks and questions of all sessions", entries: work.entries.filter(({ id }) => !known.has(id)) },
      { title: "Found in texts", entries: texts.entries },
    ].filter(({ entries }) => entries.length > 0);
  }, [texts.entries, work.entries, listed]);
  return { groups, thinking: texts.thinking || work.thinking };
}

function useHitsOf(kinds: HitKind[], text: string, go: GoTo) {
  const search = useSearch({ text, kinds, namespace: "all", tag: undefined, language: undefined, limit: HITS }, true);
  const entries = useMemo(
    () =>
      (text ? search.hits : []).map((hit) => ({
        id: hit.kind === "task" ? `task ${hit.session_id} ${hit.id}` : `hit ${idOfHit(hit)}`,
        title: plainText(hit.title || hit.snippet)
          .replace(/\s+/g, " ")
          .slice(0, 120),
        about: [KINDS[hit.kind] ?? hit.kind, hit.id, hit.status?.replace("_", " ")].filter(Boolean).join(" "),
        act: () => go(addressOf(hit)),
      })),
    [text, search.hits, go],
  );
  return { entries, thinking: search.thinking };
}
