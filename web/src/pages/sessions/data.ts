import { keepPreviousData, useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { client, type Schemas, unwrap } from "@/api/client";
import { keys } from "@/api/queries";

export type Session = Schemas["TableView"];
export type SessionStatus = Session["status"];

const AT_ONCE = 50;

export function useSessions(status: SessionStatus) {
  return useInfiniteQuery({
    queryKey: [...keys.overview, "list", status],
    initialPageParam: "",
    queryFn: ({ pageParam: cursor, signal }) =>
      unwrap(
        client.GET("/overview", {
          params: { query: { status, limit: AT_ONCE, ...(cursor && { cursor }) } },
          signal,
        }),
      ),
    getNextPageParam: (page) => page.next_cursor,
    placeholderData: keepPreviousData,
    select: ({ pages }) => withoutRepeats(pages.flatMap((page) => page.sessions)),
  });
}

/** Between two pages a session may have become active and moved to the front: then both have it. */
export function withoutRepeats(sessions: Session[]): Session[] {
  return [...new Map(sessions.map((session) => [session.session_id, session])).values()];
}

function useStale() {
  const queries = useQueryClient();
  return (id?: string) => {
    void queries.invalidateQueries({ queryKey: keys.overview });
    if (id) void queries.invalidateQueries({ queryKey: keys.session(id) });
  };
}

export function useCreateSession() {
  const stale = useStale();
  return useMutation({
    mutationFn: ({ purpose, ttl }: { purpose: string; ttl: string }) =>
      unwrap(client.POST("/sessions", { body: { purpose, ...(ttl && { ttl }) } })),
    onSuccess: () => stale(),
  });
}

export function useCloseSession(id: string) {
  const stale = useStale();
  return useMutation({
    mutationFn: () => unwrap(client.POST("/sessions/{session_id}/close", { params: { path: { session_id: id } } })),
    onSettled: () => stale(id),
  });
}

export function useExtendSession(id: string) {
  const stale = useStale();
  return useMutation({
    mutationFn: (ttl: string) =>
      unwrap(client.POST("/sessions/{session_id}/extend", { params: { path: { session_id: id } }, body: { ttl } })),
    onSettled: () => stale(id),
  });
}
