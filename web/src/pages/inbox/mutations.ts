import { type UseMutationOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { ApiError, client, unwrap } from "@/api/client";
import { keys } from "@/api/queries";
import { type Decision, draftFor, type Pin, type Question } from "@/pages/inbox/data";
import { HOLD_SECONDS, holdOf } from "@/pages/inbox/holding";
import type { Hold, Outcome } from "@/pages/inbox/linger";
import { forgetDraft } from "@/parts/drafts";

type Settle = (id: string, outcome: Outcome) => void;

/** A retry does not help: the item was decided by somebody else, or does not exist any more. */
const FINAL = new Set(["CONFLICT", "NOT_FOUND", "SESSION_EXPIRED", "SESSION_CLOSED"]);

function useSettling(id: string, settle: Settle) {
  const queries = useQueryClient();
  return {
    settled: (outcome: Outcome) => {
      forgetDraft(draftFor(id));
      settle(id, outcome);
    },
    refused: (problem: unknown) => {
      const final = problem instanceof ApiError && FINAL.has(problem.code);
      if (final) settle(id, { text: `${problem.message} Nothing was changed by you.`, tone: "late" });
    },
    stale: (...queryKeys: (readonly unknown[])[]) =>
      void Promise.all(queryKeys.map((queryKey) => queries.invalidateQueries({ queryKey }))),
  };
}

/** What is pressed again before the first is through is not sent: the page is not drawn anew between two taps. */
function useOneAtATime<Result, Input>(id: string, options: UseMutationOptions<Result, Error, Input>) {
  const queries = useQueryClient();
  const mutationKey = ["inbox", id];
  const mutation = useMutation({ ...options, mutationKey });
  const mutate = (input: Input) => {
    if (queries.isMutating({ mutationKey }) === 0) mutation.mutate(input);
  };
  return { ...mutation, mutate };
}

export function useAnswer(id: string, question: Question, settle: Settle) {
  const { settled, refused, stale } = useSettling(id, settle);
  return useOneAtATime(id, {
    mutationFn: (answer: string) =>
      unwrap(
        client.POST("/sessions/{session_id}/answers", {
          params: { path: { session_id: question.session_id } },
          body: { answers: [{ question_id: question.id, answer }], hold_seconds: HOLD_SECONDS },
        }),
      ),
    onSuccess: (result, answer) => {
      const typed = question.options?.includes(answer) ? "" : answer;
      const hold = result.held ? holdOf(result.held, typed) : undefined;
      settled(outcomeOf(result, question.id, answer, hold));
    },
    onError: refused,
    onSettled: () => stale(keys.questions, keys.of(question.session_id, "questions")),
  });
}

export function outcomeOf(
  result: { answered: string[]; already_answered: string[]; expired_or_withdrawn?: string[] },
  id: string,
  answer: string,
  hold?: Hold,
): Outcome {
  if (hold) return { text: `Answered: ${answer}`, tone: "held", hold };
  if (result.answered.includes(id)) return { text: `Answered: ${answer}`, tone: "good" };
  if (result.already_answered.includes(id) || result.expired_or_withdrawn?.includes(id)) {
    return { text: "It was answered, withdrawn or over before you. Your answer was not taken.", tone: "late" };
  }
  return { text: "There is no such question any more. Your answer was not taken.", tone: "late" };
}

export interface DecisionInput {
  approve: boolean;
  reason: string;
  repeats: boolean;
}

export function useDecide(decision: Decision, settle: Settle) {
  const { settled, refused, stale } = useSettling(decision.id, settle);
  return useOneAtATime(decision.id, {
    mutationFn: ({ approve, reason, repeats }: DecisionInput) => {
      const params = { path: { decision_id: decision.id } };
      const why = reason.trim() ? { reason: reason.trim() } : {};
      return approve
        ? unwrap(
            client.POST("/decisions/{decision_id}/approve", {
              params,
              body: { ...why, ...(repeats && { for_10_minutes: true }), hold_seconds: HOLD_SECONDS },
            }),
          )
        : unwrap(
            client.POST("/decisions/{decision_id}/deny", { params, body: { ...why, hold_seconds: HOLD_SECONDS } }),
          );
    },
    onSuccess: ({ held }, said) => {
      const text = decisionText(said);
      settled(held ? { text, tone: "held", hold: holdOf(held, said.reason.trim()) } : { text, tone: "good" });
    },
    onError: refused,
    onSettled: () => stale(keys.decisions),
  });
}

export function decisionText({ approve, reason, repeats }: DecisionInput): string {
  const why = reason.trim() ? `: ${reason.trim()}` : "";
  if (!approve) return `Denied${why}`;
  return `Approved${repeats ? " for 10 minutes" : ", once"}${why}`;
}

export function useAcceptTool(id: string, pin: Pin, settle: Settle) {
  const { settled, refused, stale } = useSettling(id, settle);
  return useOneAtATime<unknown, void>(id, {
    mutationFn: () =>
      unwrap(client.POST("/pins/accept", { body: { upstream: pin.upstream, tool: pin.tool, digest: pin.digest } })),
    onSuccess: () => settled({ text: "Accepted: agents can call it again.", tone: "good" }),
    onError: refused,
    onSettled: () => stale(keys.pins, keys.upstreams),
  });
}
