import { QueryClient } from "@tanstack/react-query";
import { ApiError } from "@/api/client";

/** The keys of all queries. Those of a session start with `["session", id]`. */
export const keys = {
  me: ["me"] as const,
  now: ["now"] as const,
  overview: ["overview"] as const,
  questions: ["questions"] as const,
  decisions: ["decisions"] as const,
  holds: ["holds"] as const,
  pins: ["pins"] as const,
  upstreams: ["upstreams"] as const,
  rules: ["rules"] as const,
  calls: ["calls"] as const,
  call: ["call"] as const,
  usage: ["usage"] as const,
  intents: ["intents"] as const,
  notebooks: ["notebooks"] as const,
  /** Each of one version of a scratchpad: a change makes new keys instead of invalidating these. */
  cells: ["cells"] as const,
  trash: ["trash"] as const,
  audit: ["audit"] as const,
  tokens: ["tokens"] as const,
  notifiers: ["notifiers"] as const,
  /** Not below the others: those of a notifier that was removed are not asked for again. */
  deliveries: ["deliveries"] as const,
  session: (id: string) => ["session", id] as const,
  of: (id: string, part: SessionPart) => ["session", id, part] as const,
};

export type SessionPart =
  | "overview"
  | "notes"
  | "draft"
  | "plan"
  | "reservations"
  | "questions"
  | "pauses"
  | "messages"
  | "activity";

/** Only requests to a server that is unreachable or busy are retried; other errors are final. */
function shouldRetry(failures: number, problem: unknown): boolean {
  const away = problem instanceof ApiError && (problem.status === 0 || problem.status >= 502);
  return away && failures < 3;
}

export function newQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      // The event stream invalidates queries: nothing is refetched by time.
      queries: { staleTime: Number.POSITIVE_INFINITY, gcTime: 300_000, retry: shouldRetry, networkMode: "always" },
      mutations: { networkMode: "always" },
    },
  });
}
