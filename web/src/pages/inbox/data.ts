import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import { client, type Schemas, unwrap } from "@/api/client";
import { useIsOwner, useMe } from "@/api/me";
import { keys } from "@/api/queries";
import { type Pin, usePins } from "@/pages/gateway/data";
import { useSnoozed } from "@/pages/inbox/snoozing";
import { LONGEST_TIMER } from "@/parts/timers";

export type Question = Schemas["TableQuestion"];
export type Decision = Schemas["DecisionView"];
export type { Pin };

/** What waits for a person: a question, a call that needs an approval, a tool that changed. */
export type Item = Waiting &
  ({ kind: "question"; question: Question } | { kind: "approval"; decision: Decision } | { kind: "tool"; pin: Pin });

interface Waiting {
  id: string;
  blocking: boolean;
  priority: Urgency;
  /** Since when it waits. */
  at: string;
  ends: string | undefined;
}

type Urgency = "high" | "medium" | "low";

/** The name under which what is typed for an item is kept. */
export function draftFor(id: string): string {
  return `inbox/${id}`;
}

const MOST = 500;

export function useQuestions() {
  return useQuery({
    queryKey: keys.questions,
    queryFn: ({ signal }) =>
      unwrap(client.GET("/questions", { params: { query: { status: "pending", limit: MOST } }, signal })),
  });
}

export function useDecisions() {
  const offered = useMe().data?.features.gateway === true;
  return useQuery({
    queryKey: [...keys.decisions, "waiting"],
    enabled: offered,
    queryFn: ({ signal }) =>
      unwrap(client.GET("/decisions", { params: { query: { status: "waiting", limit: MOST } }, signal })),
  });
}

/** Tools in quarantine are an owner's to accept. */
function useQuarantinedTools() {
  const offered = useMe().data?.features.gateway === true;
  const owner = useIsOwner();
  return usePins(offered && owner);
}

/** The purpose of a session. Events of the session do not invalidate it: it hardly ever changes. */
export function usePurpose(id: string, known: string | undefined): string | undefined {
  const session = useQuery({
    queryKey: [...keys.session(id), "purpose"],
    enabled: known === undefined,
    queryFn: ({ signal }) =>
      unwrap(client.GET("/sessions/{session_id}/overview", { params: { path: { session_id: id } }, signal })),
    select: (table) => table.session.purpose,
  });
  return known ?? session.data;
}

export function useInbox() {
  const me = useMe();
  const questions = useQuestions();
  const decisions = useDecisions();
  const pins = useQuarantinedTools();
  const parts = [questions, decisions, pins];
  const items = useMemo(
    () =>
      sorted(
        questions.data?.questions ?? [],
        decisions.data?.decisions ?? [],
        (pins.data?.tools ?? []).filter((pin) => pin.status !== "accepted"),
      ),
    [questions.data, decisions.data, pins.data],
  );
  const again = () => {
    for (const part of parts) if (part.isEnabled) void part.refetch({ cancelRefetch: false });
  };
  useRefetchAtExpiry(items, again);
  const snoozed = useSnoozed();
  const awake = useMemo(() => items.filter((item) => !snoozed.has(item.id)), [items, snoozed]);
  return {
    /** Everything that waits, also what is snoozed. */
    items,
    awake,
    /** Whether some of it is not there yet. */
    loading: me.isLoading || parts.some((part) => part.isLoading),
    error: parts.find((part) => part.error)?.error ?? undefined,
    again,
  };
}

/** A moment later than the end, so that the server has seen it pass too. */
const A_MOMENT = 500;

/** No event reports an expiry, so the list is read again at that time. */
function useRefetchAtExpiry(items: Item[], again: () => void): void {
  const [, setPassed] = useState(0);
  const end = nextEnd(items, Date.now());
  // biome-ignore lint/correctness/useExhaustiveDependencies: `again` is another function each time and does the same
  useEffect(() => {
    if (end === undefined) return;
    const timer = setTimeout(
      () => {
        again();
        setPassed((count) => count + 1);
      },
      Math.min(end - Date.now() + A_MOMENT, LONGEST_TIMER),
    );
    return () => clearTimeout(timer);
  }, [end]);
}

/** When the first of them runs out that has not yet. */
export function nextEnd(items: Item[], now: number): number | undefined {
  const ends = items.map((item) => Date.parse(item.ends ?? "")).filter((end) => end > now);
  return ends.length > 0 ? Math.min(...ends) : undefined;
}

const RANKS: Record<Urgency, number> = { high: 0, medium: 1, low: 2 };

/** Blocking ones first, because an agent waits for them; then by priority; then what waits longest. */
export function sorted(questions: Question[], decisions: Decision[], pins: Pin[]): Item[] {
  const items = [...questions.map(ofQuestion), ...decisions.map(ofDecision), ...pins.map(ofPin)];
  return items.sort(
    (a, b) =>
      Number(b.blocking) - Number(a.blocking) ||
      RANKS[a.priority] - RANKS[b.priority] ||
      Date.parse(a.at) - Date.parse(b.at) ||
      a.id.localeCompare(b.id),
  );
}

function ofQuestion(question: Question): Item {
  return {
    kind: "question",
    // Every session counts its questions from one.
    id: `${question.session_id}/${question.id}`,
    blocking: question.blocking,
    priority: question.priority,
    at: question.asked_at,
    ends: question.expires_at,
    question,
  };
}

function ofDecision(decision: Decision): Item {
  return {
    kind: "approval",
    id: decision.id,
    blocking: true,
    priority: "medium",
    at: decision.requested_at,
    ends: decision.expires_at,
    decision,
  };
}

function ofPin(pin: Pin): Item {
  const id = `${pin.upstream}/${pin.tool}/${pin.digest}`;
  return { kind: "tool", id, blocking: false, priority: "medium", at: pin.first_seen_at, ends: undefined, pin };
}
