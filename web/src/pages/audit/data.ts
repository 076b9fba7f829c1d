import { keepPreviousData, useInfiniteQuery, useMutation } from "@tanstack/react-query";
import { client, type Schemas, unwrap } from "@/api/client";
import { keys } from "@/api/queries";
import { type Filters, isOnlyALook, queryOf } from "@/pages/audit/filters";

export type Entry = Schemas["AuditEntry"];

const PAGE = 100;
/** Where looks are left out, a page goes on behind them until it has so many records to show, or for so long. */
const ENOUGH = 20;
const MORE = 500;
const ROUNDS = 8;

/** Reading the log is itself recorded, so it is read when somebody asks, and on coming back to its first page. */
export function useAudit(filters: Filters, all: boolean) {
  const wanted = queryOf(filters);
  return useInfiniteQuery({
    queryKey: [...keys.audit, wanted, all],
    initialPageParam: "",
    placeholderData: keepPreviousData,
    queryFn: async ({ pageParam, signal }): Promise<Schemas["AuditPage"]> => {
      const read = (limit: number, cursor: string) =>
        unwrap(client.GET("/audit", { params: { query: { ...wanted, limit, ...(cursor && { cursor }) } }, signal }));
      const shown = ({ entries }: Schemas["AuditPage"]) =>
        all ? entries : entries.filter((entry) => !isOnlyALook(entry));
      let page = await read(PAGE, pageParam);
      const entries = shown(page);
      for (let round = 0; entries.length < ENOUGH && page.next_cursor && round < ROUNDS; round++) {
        page = await read(MORE, page.next_cursor);
        entries.push(...shown(page));
      }
      return { ...page, entries };
    },
    getNextPageParam: (last) => last.next_cursor,
    refetchOnWindowFocus: ({ state }) => ((state.data?.pages.length ?? 0) < 2 ? "always" : false),
  });
}

export function useVerify() {
  return useMutation({ mutationFn: () => unwrap(client.POST("/audit/verify")) });
}
