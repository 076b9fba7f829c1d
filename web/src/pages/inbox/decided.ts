import type { Decision, Question } from "@/pages/inbox/data";

export interface Decided {
  id: string;
  at: string;
  word: string;
  tone: "good" | "bad" | "plain";
  about: string;
  said: string;
  by: string;
  /** Where it is shown. */
  address: string;
  sessionId: string | null;
  purpose: string | undefined;
}

const SHOWN = 10;

/** The last answers and decisions together, newest first. */
export function recentDecisions(questions: Question[], decisions: Decision[]): Decided[] {
  const all = [...questions.flatMap(ofQuestion), ...decisions.flatMap(ofDecision)];
  return all.sort((a, b) => b.at.localeCompare(a.at)).slice(0, SHOWN);
}

function ofQuestion(question: Question): Decided[] {
  if (!question.answered_at) return [];
  return [
    {
      id: `${question.session_id}/${question.id}`,
      at: question.answered_at,
      word: question.by_human ? "Answered" : "Answer relayed",
      tone: "plain",
      about: question.question,
      said: question.answer ?? "",
      by: question.answered_by ?? "",
      address: `/sessions/${encodeURIComponent(question.session_id)}/questions/${question.id}`,
      sessionId: question.session_id,
      purpose: question.purpose,
    },
  ];
}

function ofDecision(decision: Decision): Decided[] {
  if (!decision.decided_at) return [];
  const denied = decision.status === "denied";
  return [
    {
      id: decision.id,
      at: decision.decided_at,
      word: denied ? "Denied" : "Approved",
      tone: denied ? "bad" : "good",
      about: `${decision.requested_by}: ${decision.identity}`,
      said: decision.reason ?? "",
      by: decision.relayed ? `the client of ${decision.decided_by}` : (decision.decided_by ?? ""),
      address: `/decisions/${encodeURIComponent(decision.id)}`,
      sessionId: decision.session_id,
      purpose: undefined,
    },
  ];
}
