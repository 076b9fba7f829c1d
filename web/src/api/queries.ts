import { QueryClient } from "@tanstack/react-query";
import { ApiError } from "@/api/client";

/** Keys of everything that is asked for. Whatever belongs to a session starts with `["session", id]`. */
export const keys = {
  me: ["me"] as const,
  overview: ["overview"] as const,
  questions: ["questions"] as const,
  decisions: ["decisions"] as const,
  pins: ["pins"] as const,
  upstreams: ["upstreams"] as const,
  rules: ["rules"] as const,
  calls: ["calls"] as const,
  intents: ["intents"] as const,
  notebooks: ["notebooks"] as const,
  /** Of one version of a scratchpad each: a change makes other keys of them, not these stale. */
  cells: ["cells"] as const,
  trash: ["trash"] as const,
  audit: ["audit"] as const,
  tokens: ["tokens"] as const,
  session: (id: string) => ["session", id] as const,
  of: (id: string, part: SessionPart) => ["session", id, part] as const,
};

export type SessionPart = "overview" | "notes" | "draft" | "plan" | "questions" | "pauses" | "messages" | "activity";

/** Refusals are final; only a server that is away or busy is asked again. */
export function worthAnotherTry(failures: number, problem: unknown): boolean {
  const away = problem instanceof ApiError && (problem.status === 0 || problem.status >= 502);
  return away && failures < 3;
}

export function newQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      // The stream of events says what has changed: nothing is asked for again by the clock.
      queries: { staleTime: Number.POSITIVE_INFINITY, gcTime: 300_000, retry: worthAnotherTry, networkMode: "always" },
      mutations: { networkMode: "always" },
    },
  });
}
