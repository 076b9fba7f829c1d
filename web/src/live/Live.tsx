import { hashKey, type QueryKey, useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useEffect, useMemo, useRef, useState } from "react";
import { keys } from "@/api/queries";
import type { LiveEvent } from "@/live/event";
import { listenTogether } from "@/live/shared";
import { staleAfter } from "@/live/stale";
import type { StreamState } from "@/live/stream";

type Heard = (event: LiveEvent) => void;

interface LiveContext {
  state: StreamState;
  subscribe(heard: Heard): () => void;
}

const Context = createContext<LiveContext>({ state: "connecting", subscribe: () => () => {} });

/** A burst of events is one refresh: this many milliseconds after the first of them. */
const GATHER = 80;

/** Keeps what the page has read true, by the stream of events. */
export function Live({ children, onOut }: { children: ReactNode; onOut: () => void }) {
  const queries = useQueryClient();
  const [state, setState] = useState<StreamState>("connecting");
  const [hearers] = useState(() => new Set<Heard>());
  const out = useRef(onOut);
  out.current = onOut;

  useEffect(() => {
    const stale = new Map<string, QueryKey>();
    let due: ReturnType<typeof setTimeout> | undefined;
    const refresh = () => {
      for (const [hash, queryKey] of stale) {
        // Asking again would call off what is under way: with an event every moment, nothing would ever arrive.
        if (queries.isFetching({ queryKey }) > 0) continue;
        stale.delete(hash);
        void queries.invalidateQueries({ queryKey });
      }
      due = stale.size > 0 ? setTimeout(refresh, GATHER) : undefined;
    };
    const end = listenTogether({
      event: (event) => {
        // What was read is not to be shown any more, not even until it is read again.
        if (event.kind === "scratchpad/redacted")
          void queries.resetQueries({
            queryKey: ["session", event.session_id],
            // Counts and names hold no such text, and without them the page would be built anew around whoever types.
            predicate: ({ queryKey }) => queryKey[2] !== "overview",
          });
        if (event.kind === "notebook/changed" && event.reason === "redact") {
          void queries.resetQueries({ queryKey: keys.notebooks });
          void queries.resetQueries({ queryKey: keys.cells });
        }
        for (const queryKey of staleAfter(event)) stale.set(hashKey(queryKey), queryKey);
        due ??= setTimeout(refresh, GATHER);
        for (const hear of hearers) hear(event);
      },
      state: (next) => {
        setState(next);
        if (next === "out") out.current();
        // What could not be read during the break.
        if (next === "live") void queries.invalidateQueries({ predicate: (query) => query.state.status === "error" });
      },
      fresh: () => void queries.invalidateQueries(),
      beat: () => {},
    });
    return () => {
      clearTimeout(due);
      end();
    };
  }, [queries, hearers]);

  const value = useMemo<LiveContext>(
    () => ({
      state,
      subscribe: (heard) => {
        hearers.add(heard);
        return () => hearers.delete(heard);
      },
    }),
    [state, hearers],
  );
  return <Context value={value}>{children}</Context>;
}

export function useStreamState(): StreamState {
  return useContext(Context).state;
}

/** Calls `heard` with every event of the tenant, as long as the component is shown. */
export function useLiveEvents(heard: Heard): void {
  const { subscribe } = useContext(Context);
  const latest = useRef(heard);
  latest.current = heard;
  useEffect(() => subscribe((event) => latest.current(event)), [subscribe]);
}
