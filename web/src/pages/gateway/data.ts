import {
  keepPreviousData,
  type QueryClient,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { client, type Schemas, unwrap } from "@/api/client";
import { keys } from "@/api/queries";
import { useLiveEvents } from "@/live/EventStreamProvider";
import { useErrorToast, useToast } from "@/parts/Toasts";

export type Upstream = Schemas["UpstreamView"];
export type Tool = Schemas["UpstreamTool"];
export type Pin = Schemas["PinnedTool"];
export type RuleList = Schemas["RuleList"];
export type Call = Schemas["CallView"];
export type CallDetail = Schemas["CallDetail"];
export type Intent = Schemas["IntentView"];

const PAGE = 50;

/** No event reports that an upstream became unhealthy: the list is refetched when the window gets the focus. */
export function useUpstreams() {
  return useQuery({
    queryKey: keys.upstreams,
    refetchOnWindowFocus: "always",
    queryFn: ({ signal }) => unwrap(client.GET("/upstreams", { signal })),
  });
}

export function usePins(enabled = true) {
  return useQuery({ queryKey: keys.pins, enabled, queryFn: ({ signal }) => unwrap(client.GET("/pins", { signal })) });
}

export function useRules() {
  return useQuery({ queryKey: keys.rules, queryFn: ({ signal }) => unwrap(client.GET("/rules", { signal })) });
}

export function useCalls(upstream: string) {
  return useInfiniteQuery({
    queryKey: [...keys.calls, upstream],
    initialPageParam: "",
    refetchOnWindowFocus: "always",
    placeholderData: keepPreviousData,
    queryFn: ({ pageParam, signal }) =>
      unwrap(
        client.GET("/calls", {
          params: { query: { limit: PAGE, ...(upstream && { upstream }), ...(pageParam && { cursor: pageParam }) } },
          signal,
        }),
      ),
    getNextPageParam: (last) => last.next_cursor,
  });
}

/** A call that is over never changes. */
export function useCall(id: string) {
  return useQuery({
    queryKey: [...keys.call, id],
    queryFn: ({ signal }) => unwrap(client.GET("/calls/{call_id}", { params: { path: { call_id: id } }, signal })),
  });
}

export function useIntents() {
  return useInfiniteQuery({
    queryKey: keys.intents,
    initialPageParam: "",
    refetchOnWindowFocus: "always",
    queryFn: ({ pageParam, signal }) =>
      unwrap(
        client.GET("/intents", { params: { query: { limit: PAGE, ...(pageParam && { cursor: pageParam }) } }, signal }),
      ),
    getNextPageParam: (last) => last.next_cursor,
  });
}

/** A refused call has no event of its own; other events of the gateway are taken as a sign of one. */
export function useCallsAreLive(): void {
  const queries = useQueryClient();
  useLiveEvents((event) => {
    if (!event.kind.startsWith("gateway/")) return;
    void queries.invalidateQueries({ queryKey: keys.calls });
    void queries.invalidateQueries({ queryKey: keys.intents });
  });
}

export function useAddUpstream() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: { name: string; entry: Record<string, unknown>; accept: boolean }) =>
      unwrap(client.POST("/upstreams", { body })),
    onSuccess: () => refreshed(queries),
  });
}

export function useRemoveUpstream() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (name: string) => unwrap(client.DELETE("/upstreams/{name}", { params: { path: { name } } })),
    onSuccess: () => refreshed(queries),
  });
}

/** Accepts all tools that it has now. */
export function useAcceptAll() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (name: string) =>
      unwrap(client.PATCH("/upstreams/{name}", { params: { path: { name } }, body: { accept: true } })),
    onSuccess: () => refreshed(queries),
  });
}

function refreshed(queries: QueryClient): Promise<unknown> {
  void queries.invalidateQueries({ queryKey: keys.pins });
  return queries.invalidateQueries({ queryKey: keys.upstreams });
}

export function useSwitch() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ name, on }: { name: string; on: boolean }) =>
      unwrap(client.POST("/upstreams/{upstream}/switch", { params: { path: { upstream: name } }, body: { on } })),
    onSuccess: (rules) => {
      queries.setQueryData(keys.rules, rules);
      return queries.invalidateQueries({ queryKey: keys.upstreams });
    },
  });
}

/** Speaks itself: by the time that it is done, the tool may be off the page. */
export function useAccept() {
  const queries = useQueryClient();
  const say = useToast();
  const sayProblem = useErrorToast();
  const refresh = () => {
    void queries.invalidateQueries({ queryKey: keys.upstreams });
    return queries.invalidateQueries({ queryKey: keys.pins });
  };
  return useMutation({
    mutationFn: ({ upstream, tool, digest }: Pin) =>
      unwrap(client.POST("/pins/accept", { body: { upstream, tool, digest } })),
    onSuccess: ({ upstream, tool, note }) => {
      say(note ?? `${upstream}.${tool} can be called again.`);
      return refresh();
    },
    onError: (problem) => {
      sayProblem(problem);
      return refresh();
    },
  });
}

export function useSaveRules() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ rules, version }: { rules: Record<string, unknown>[]; version: number }) =>
      unwrap(client.PUT("/rules", { body: { rules, expected_version: version } })),
    onSuccess: (saved) => {
      queries.setQueryData(keys.rules, saved);
      void queries.invalidateQueries({ queryKey: keys.upstreams });
    },
    onError: () => void queries.invalidateQueries({ queryKey: keys.rules }),
  });
}
