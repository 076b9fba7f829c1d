import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { client, unwrap } from "@/api/client";
import { keys } from "@/api/queries";
import { useLiveEvents } from "@/live/EventStreamProvider";
import { type CostsFilter, sinceOf } from "@/pages/costs/numbers";

type Grouping = "agent" | "session" | "day";

/** Reports have no event of their own: the sums are read again so long after something has happened. */
const AFTER = 2_000;
const MOST = 1000;

export function useUsage(by: Grouping, { days, agent, session }: CostsFilter) {
  const since = sinceOf(days, Date.now());
  const query = {
    by,
    limit: MOST,
    ...(since && { since: `${since}T00:00:00Z` }),
    ...(agent && { agent }),
    ...(session && { session_id: session }),
  };
  return useQuery({
    queryKey: [...keys.usage, query],
    refetchOnWindowFocus: "always",
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => unwrap(client.GET("/usage", { params: { query }, signal })),
  });
}

export function useCostsAreLive(): void {
  const queries = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useLiveEvents(() => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      void queries.invalidateQueries({ queryKey: keys.usage });
    }, AFTER);
  });
  useEffect(() => () => clearTimeout(timer.current), []);
}
