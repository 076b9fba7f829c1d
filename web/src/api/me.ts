import { useQuery } from "@tanstack/react-query";
import { client, rememberCsrf, unwrap } from "@/api/client";
import { keys } from "@/api/queries";
import { rememberWriter } from "@/parts/drafts";

/** Who is signed in here, and what this server offers. */
export function useMe() {
  return useQuery({
    queryKey: keys.me,
    queryFn: async ({ signal }) => {
      const me = await unwrap(client.GET("/me", { signal }));
      rememberCsrf(me.csrf);
      rememberWriter(me.tenant, me.agent);
      return me;
    },
  });
}

export type Me = NonNullable<ReturnType<typeof useMe>["data"]>;

/** Owners do more than people: tokens, rules, pins, upstreams, export, audit. */
export function useIsOwner(): boolean {
  return useMe().data?.role === "owner";
}
