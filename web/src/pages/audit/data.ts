import { keepPreviousData, useInfiniteQuery, useMutation } from "@tanstack/react-query";
import { client, type Schemas, unwrap } from "@/api/client";
import { keys } from "@/api/queries";
import { type Filters, queryOf } from "@/pages/audit/filters";

export type Entry = Schemas["AuditEntry"];

const PAGE = 100;

/** Reading the log is itself recorded, so it is read when somebody asks, and on coming back to its first page. */
export function useAudit(filters: Filters) {
  const wanted = queryOf(filters);
  return useInfiniteQuery({
    queryKey: [...keys.audit, wanted],
    initialPageParam: "",
    placeholderData: keepPreviousData,
    queryFn: ({ pageParam, signal }): Promise<Schemas["AuditPage"]> =>
      unwrap(
        client.GET("/audit", {
          params: { query: { ...wanted, limit: PAGE, ...(pageParam && { cursor: pageParam }) } },
          signal,
        }),
      ),
    getNextPageParam: (last) => last.next_cursor,
    refetchOnWindowFocus: ({ state }) => ((state.data?.pages.length ?? 0) < 2 ? "always" : false),
  });
}

export function useVerify() {
  return useMutation({ mutationFn: () => unwrap(client.POST("/audit/verify")) });
}
