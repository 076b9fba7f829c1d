import { hashKey, type QueryKey, useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useEffect, useMemo, useRef, useState } from "react";
import { keys } from "@/api/queries";
import type { LiveEvent } from "@/live/event";
import { openSharedStream } from "@/live/sharedStream";
import { staleAfter } from "@/live/stale";
import type { StreamState } from "@/live/stream";

type EventHandler = (event: LiveEvent) => void;

interface ContextValue {
  state: StreamState;
  subscribe(listener: EventHandler): () => void;
}

const StreamContext = createContext<ContextValue>({ state: "connecting", subscribe: () => () => {} });

/** A burst of events is one refresh, this many milliseconds after the first of them. */
const DEBOUNCE = 80;

/** Invalidates cached queries by the stream of events. */
export function EventStreamProvider({ children, onSignedOut }: { children: ReactNode; onSignedOut: () => void }) {
  const queries = useQueryClient();
  const [state, setState] = useState<StreamState>("connecting");
  const [listeners] = useState(() => new Set<EventHandler>());
  const signedOut = useRef(onSignedOut);
  signedOut.current = onSignedOut;

  useEffect(() => {
    const stale = new Map<string, QueryKey>();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const refresh = () => {
      for (const [hash, queryKey] of stale) {
        // Invalidating would cancel the request in progress: with a steady flow of events none would ever finish.
        if (queries.isFetching({ queryKey }) > 0) continue;
        stale.delete(hash);
        void queries.invalidateQueries({ queryKey });
      }
      timer = stale.size > 0 ? setTimeout(refresh, DEBOUNCE) : undefined;
    };
    /** A first request in progress would not be repeated by invalidating, though its answer may be older than the stream. */
    const refreshAll = () => {
      for (const { queryKey, queryHash, state } of queries.getQueryCache().getAll())
        if (state.fetchStatus === "fetching") stale.set(queryHash, queryKey);
      void queries.invalidateQueries({ predicate: ({ state }) => state.fetchStatus !== "fetching" });
      timer ??= setTimeout(refresh, DEBOUNCE);
    };
    const end = openSharedStream({
      onEvent: (event) => {
        // A redacted text must vanish at once, not when the query is read again.
        if (event.kind === "scratchpad/redacted")
          void queries.resetQueries({
            queryKey: ["session", event.session_id],
            // The overview holds no redacted text, and without it the page would be rebuilt under the hands of its user.
            predicate: ({ queryKey }) => queryKey[2] !== "overview",
          });
        if (event.kind === "notebook/changed" && event.reason === "redact") {
          void queries.resetQueries({ queryKey: keys.notebooks });
          void queries.resetQueries({ queryKey: keys.cells });
        }
        for (const queryKey of staleAfter(event)) stale.set(hashKey(queryKey), queryKey);
        timer ??= setTimeout(refresh, DEBOUNCE);
        for (const listener of listeners) listener(event);
      },
      onState: (next) => {
        setState(next);
        if (next === "unauthorized") signedOut.current();
        // Retries what failed during the break.
        if (next === "live") void queries.invalidateQueries({ predicate: (query) => query.state.status === "error" });
      },
      onStale: refreshAll,
      onHeartbeat: () => {},
    });
    return () => {
      clearTimeout(timer);
      end();
    };
  }, [queries, listeners]);

  const value = useMemo<ContextValue>(
    () => ({
      state,
      subscribe: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    }),
    [state, listeners],
  );
  return <StreamContext value={value}>{children}</StreamContext>;
}

export function useStreamState(): StreamState {
  return useContext(StreamContext).state;
}

/** Calls `listener` with every event of the tenant, as long as the component is mounted. */
export function useLiveEvents(listener: EventHandler): void {
  const { subscribe } = useContext(StreamContext);
  const latest = useRef(listener);
  latest.current = listener;
  useEffect(() => subscribe((event) => latest.current(event)), [subscribe]);
}
