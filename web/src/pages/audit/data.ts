import { keepPreviousData, useInfiniteQuery, useMutation } from "@tanstack/react-query";
import { client, type Schemas, unwrap } from "@/api/client";
import { keys } from "@/api/queries";
import { type Filters, isOnlyALook, queryOf } from "@/pages/audit/filters";

export type Entry = Schemas["AuditEntry"];

export function keyOf(filters: Filters, all: boolean, from?: number): readonly unknown[] {
  return [...keys.audit, queryOf(filters), all, from ?? null];
}

const PAGE = 100;
/** Where looks are left out, a page goes on behind them until it has so many records to show, or for so long. */
const ENOUGH = 20;
const MORE = 500;
const ROUNDS = 8;

/** Reading the log is itself recorded: `following` reads what is newer, and nothing is read twice. */
export function useAudit(filters: Filters, all: boolean, from?: number) {
  const query = { ...queryOf(filters), ...(from !== undefined && { from_seq: from }) };
  return useInfiniteQuery({
    queryKey: keyOf(filters, all, from),
    initialPageParam: "",
    placeholderData: keepPreviousData,
    queryFn: async ({ pageParam, signal }): Promise<Schemas["AuditPage"]> => {
      const read = (limit: number, cursor: string) =>
        unwrap(client.GET("/audit", { params: { query: { ...query, limit, ...(cursor && { cursor }) } }, signal }));
      const shown = ({ entries }: Schemas["AuditPage"]) =>
        all ? entries : entries.filter((entry) => entry.seq === from || !isOnlyALook(entry));
      let page = await read(PAGE, pageParam);
      const entries = shown(page);
      for (let round = 0; entries.length < ENOUGH && page.next_cursor && round < ROUNDS; round++) {
        page = await read(MORE, page.next_cursor);
        entries.push(...shown(page));
      }
      return { ...page, entries };
    },
    getNextPageParam: (last) => last.next_cursor,
    refetchOnWindowFocus: false,
  });
}

export function useVerify() {
  return useMutation({ mutationFn: () => unwrap(client.POST("/audit/verify")) });
}
