import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import { ApiError, client, type Schemas, unwrap } from "@/api/client";
import { useMe } from "@/api/me";
import { keys } from "@/api/queries";
import { draftFor } from "@/pages/inbox/data";
import type { Hold, Outcome } from "@/pages/inbox/linger";
import { keepDraft } from "@/parts/drafts";

/** The server keeps what a person says for so long, and tells nobody. */
export const HOLD_SECONDS = 5;
const SECOND = 1_000;

export function holdOf(held: Schemas["Held"], typed: string): Hold {
  return { id: held.hold_id, until: Date.now() + HOLD_SECONDS * SECOND, typed };
}

interface Undoing {
  id: string;
  settle: (id: string, outcome: Outcome) => void;
  undone: (id: string) => void;
}

/** Takes back what is held. What was typed is there again. */
export function useUndo({ id, settle, undone }: Undoing) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (hold: Hold) => unwrap(client.DELETE("/holds/{hold_id}", { params: { path: { hold_id: hold.id } } })),
    onSuccess: (_, hold) => {
      if (hold.typed) keepDraft(draftFor(id), hold.typed);
      undone(id);
    },
    onError: (problem) => {
      const over = problem instanceof ApiError && problem.code === "NOT_FOUND";
      if (over) settle(id, { text: "It was too late to undo it: it has been said.", tone: "late" });
    },
    onSettled: () => queries.invalidateQueries({ queryKey: keys.holds }),
  });
}

/** The seconds that are left; undefined where nothing is held. */
export function useCountdown(hold: Hold | undefined): number | undefined {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!hold) return;
    setNow(Date.now());
    const ticks = setInterval(() => setNow(Date.now()), SECOND / 4);
    return () => clearInterval(ticks);
  }, [hold]);
  return hold && Math.max(0, Math.ceil((hold.until - now) / SECOND));
}

/** What this person has said and the server still holds: after a reload it can be undone, too. */
export function useHeld(): ReadonlyMap<string, Outcome> {
  const me = useMe().data?.agent;
  const holds = useQuery({
    queryKey: keys.holds,
    staleTime: 0,
    queryFn: ({ signal }) => unwrap(client.GET("/holds", { signal })),
    refetchInterval: ({ state }) => (state.data?.count ? SECOND : false),
  });
  const list = holds.data?.holds;
  return useMemo(() => new Map(list?.filter(({ held_by }) => held_by === me).flatMap(outcomesOf)), [list, me]);
}

export function outcomesOf(held: Schemas["HoldView"]): [string, Outcome][] {
  const said = held.arguments as { answers?: Record<string, string>; decision_id?: string; reason?: string };
  const outcome = (text: string, typed: string): Outcome => ({
    text,
    tone: "held",
    hold: { id: held.hold_id, until: Date.parse(held.until), typed },
  });
  if (said.decision_id) {
    const word = held.operation === "deny_decision" ? "Denied" : "Approved";
    const reason = said.reason ?? "";
    return [[said.decision_id, outcome(reason ? `${word}: ${reason}` : word, reason)]];
  }
  return Object.entries(said.answers ?? {}).map(([id, answer]) => [
    `${held.session_id}/${id}`,
    outcome(`Answered: ${answer}`, answer),
  ]);
}
